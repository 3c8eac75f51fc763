import { SagaError } from "../../../errors.ts";
import { findRepository } from "../../../repo/repository.ts";
import { readInFlight, type InFlight } from "../../../recover/in-flight.ts";
import { storyInUse } from "../../../store/leases/in-use.ts";
import { isBegun, type StoryView } from "../../../store/views/overview.ts";
import { requireId } from "../../../story/definition/names.ts";
import type { CommandResult, Build, CommandContext } from "../../program/command.ts";
import {
  resumedLine,
  resumeOne,
  whyNotResumable,
  type ResumedStory,
} from "../../start/resume-story.ts";
import { FOREGROUND_EXITS } from "../../start/run-options.ts";
import { startStory, withStartOptions, type StartOptions } from "../../start/start-story.ts";

interface Options extends StartOptions {
  readonly all?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    withStartOptions(
      builder
        .command(
          "resume",
          "Continue stories whose worker was stopped, killed or reached a limit. For one story it does the same as `saga run`, but never starts a new one.",
          [
            "saga resume add-login                  returns at once, like saga run",
            "saga resume add-login --max-time 120",
            "saga resume --all                      all that `saga recover` lists, except those with a question",
          ],
          {
            ...FOREGROUND_EXITS,
            1: `${FOREGROUND_EXITS[1]}; with --all: a story could not be resumed`,
          },
        )
        .argument("[story]", "the story")
        .option("--all", "resume every unfinished story"),
    ),
    async (context, [word], options: Options) => {
      if ((word === undefined) === (options.all !== true)) {
        throw new SagaError("usage", "Name a story, or use --all.", {
          hint: "`saga recover` lists unfinished stories.",
        });
      }
      if (word === undefined) return resumeAll(context, options);
      const storyId = requireId("story", word);
      await requireResumable(context, storyId);
      return startStory(context, storyId, options);
    },
  );

async function requireResumable(context: CommandContext, storyId: string): Promise<void> {
  const store = context.openProject();
  const [found] = await findUnfinished(context, storyId);
  if (found === undefined) {
    const view = await store.viewStory(storyId);
    // Sent back, split or answered: not interrupted, but resuming it clearly means to continue it.
    if (view.state === "sent-back" || (view.state === "ready" && isBegun(view))) return;
    throw notResumable(view);
  }
  const refusal = whyNotResumable(found);
  if (refusal) throw refusal;
}

async function findUnfinished(
  { io, openProject }: CommandContext,
  only?: string,
): Promise<readonly InFlight[]> {
  const store = openProject();
  const repository = await findRepository(store.project, io.env);
  return (await readInFlight(store, repository, { env: io.env, only })).stories;
}

function notResumable({ state, lease, record: { id: storyId } }: StoryView): SagaError {
  const refuse = (why: string, hint: string): SagaError =>
    new SagaError("not-ready", `Cannot resume ${storyId}: it ${why}.`, { hint });
  switch (state) {
    case "running":
    case "stalled":
      return storyInUse(storyId, lease?.record.owner);
    case "review":
      return refuse("is finished and waits for a review", `\`saga show ${storyId}\` shows it.`);
    case "completed":
      return refuse("is completed and merged", "There is nothing left to do.");
    default:
      return refuse("has not been started", `Start it: \`saga run ${storyId}\`.`);
  }
}

/** One after the other; a story that cannot be resumed does not keep others from it. */
async function resumeAll(context: CommandContext, options: Options): Promise<CommandResult> {
  if (options.foreground || options.rehearse) {
    throw new SagaError("usage", "--all cannot be combined with --foreground or --rehearse.", {
      hint: "Leave them out, or name one story.",
    });
  }
  const resumed: ResumedStory[] = [];
  for (const one of await findUnfinished(context)) {
    resumed.push(await resumeOne(context, one, options));
  }
  return {
    json: { stories: resumed },
    text: (paint) =>
      resumed.length === 0
        ? "No unfinished stories.\n"
        : resumed.map((one) => `${resumedLine(one, paint)}\n`).join(""),
    exitCode: resumed.some(({ why }) => why !== undefined) ? 1 : 0,
  };
}

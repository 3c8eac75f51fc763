import { SagaError } from "../../../errors.ts";
import { findRepository } from "../../../repo/repository.ts";
import { readInFlight, type InFlight } from "../../../recover/in-flight.ts";
import { isBegun, type StoryView } from "../../../store/views/overview.ts";
import { requireId } from "../../../story/definition/names.ts";
import type { CommandResult, Build, CommandContext } from "../../program/command.ts";
import { resumedLine, resumeOne, whyNot, type Resumed } from "../../start/resume-story.ts";
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
          "Go on with a story that was in flight when its worker ended.",
          [
            "saga resume add-login                  returns at once, like saga run",
            "saga resume add-login --max-time 120",
            "saga resume --all                      every story that saga recover shows, questions apart",
          ],
          { ...FOREGROUND_EXITS, 1: `${FOREGROUND_EXITS[1]}; with --all: one could not go on` },
        )
        .argument("[story]", "the story to go on with")
        .option("--all", "every story that was in flight"),
    ),
    async (context, [given], options: Options) => {
      if ((given === undefined) === (options.all !== true)) {
        throw new SagaError("usage", "Say which story, or --all.", {
          hint: "`saga recover` shows what was in flight.",
        });
      }
      if (given === undefined) return resumeAll(context, options);
      const storyId = requireId("story", given);
      await requireResumable(context, storyId);
      return startStory(context, storyId, options);
    },
  );

async function requireResumable(context: CommandContext, storyId: string): Promise<void> {
  const store = context.openProject();
  const [found] = await inFlight(context, storyId);
  if (found === undefined) {
    const view = await store.viewStory(storyId);
    // Sent back, split or answered: it was not cut off, and whoever says resume means to go on with it.
    if (view.state === "sent-back" || (view.state === "ready" && isBegun(view))) return;
    throw notInFlight(view);
  }
  const fault = whyNot(found);
  if (fault) throw fault;
}

async function inFlight(
  { io, openProject }: CommandContext,
  only?: string,
): Promise<readonly InFlight[]> {
  const store = openProject();
  const repository = await findRepository(store.project, io.env);
  return (await readInFlight(store, repository, { env: io.env, only })).stories;
}

function notInFlight({ state, lease, record: { id: storyId } }: StoryView): SagaError {
  const no = (sentence: string, hint: string): SagaError =>
    new SagaError("not-ready", `The story ${storyId} ${sentence}.`, { hint });
  switch (state) {
    case "running":
    case "stalled":
      return new SagaError(
        "in-use",
        `The story ${storyId} is being worked on (${lease?.record.owner ?? "by a worker"}).`,
        { hint: `Look at it with \`saga attach ${storyId}\`; nothing has to be resumed.` },
      );
    case "review":
      return no("is finished and waits for a review", `\`saga show ${storyId}\` shows it.`);
    case "completed":
      return no("is completed and merged", "There is nothing left to do.");
    default:
      return no("was not begun", `Start it: \`saga run ${storyId}\`.`);
  }
}

/** One after the other; what one refuses keeps no other from going on. */
async function resumeAll(context: CommandContext, options: Options): Promise<CommandResult> {
  if (options.foreground || options.rehearse) {
    throw new SagaError("usage", "All of them at once need sessions of their own.", {
      hint: "Leave --foreground and --rehearse out, or name one story.",
    });
  }
  const resumed: Resumed[] = [];
  for (const one of await inFlight(context)) {
    resumed.push(await resumeOne(context, one, options));
  }
  return {
    json: { stories: resumed },
    text: (paint) =>
      resumed.length === 0
        ? "Nothing was in flight.\n"
        : resumed.map((one) => `${resumedLine(one, paint)}\n`).join(""),
    exitCode: resumed.some(({ why }) => why !== undefined) ? 1 : 0,
  };
}

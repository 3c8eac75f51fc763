import { existsSync } from "node:fs";
import { SagaError } from "../../../errors.ts";
import { findStory } from "../../../store/project/find.ts";
import { epicFile, layoutOf } from "../../../store/project/layout.ts";
import { idProblem, requireId } from "../../../story/definition/names.ts";
import { isStartable } from "../../../story/state/state.ts";
import type { Build, CommandContext } from "../../program/command.ts";
import { applicableStories } from "../../pick/applicable.ts";
import { chooseNamed } from "../../pick/missing-argument.ts";
import { FOREGROUND_EXITS } from "../../start/run-options.ts";
import { startStory, withStartOptions, type StartOptions } from "../../start/start-story.ts";
import { runEpicCommand } from "./epic.ts";

interface Options extends StartOptions {
  readonly next?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    withStartOptions(
      builder
        .command(
          "run",
          "Start or continue a story: a worker in a tmux session that outlives this terminal.",
          [
            "saga run add-login                     returns at once; `saga logs add-login -f` follows it",
            "saga run                               choose a story; `saga run --next` takes the next one",
            "saga run user-auth                     an epic, like `saga epic run user-auth --detach`",
            "saga run add-login --max-time 120 --max-cost 5",
            "saga run add-login --foreground        run in this terminal, until the end",
            "saga run add-login --rehearse          try it on a copy, without spending a token",
          ],
          FOREGROUND_EXITS,
        )
        .argument("[story-or-epic]", "the story to run, or an epic; without one you can choose")
        .option(
          "--next",
          "run the next story: what was answered or sent back, then what is ready, by priority",
        ),
    ),
    async (context, [word], { next = false, ...options }: Options) => {
      const id = await chosenId(context, word, { next, json: options.json ?? false });
      if (!isEpic(context, id)) return startStory(context, requireId("story", id), options);
      const { foreground = false, ...others } = options;
      return runEpicCommand(context, [id], { ...others, parallel: 1, detach: !foreground });
    },
  );

async function chosenId(
  context: CommandContext,
  word: string | undefined,
  { next, json }: { readonly next: boolean; readonly json: boolean },
): Promise<string> {
  if (word !== undefined && next) {
    throw new SagaError("usage", "--next takes no story.", {
      hint: `Use one of them: \`saga run ${word}\` or \`saga run --next\`.`,
    });
  }
  if (word !== undefined) return word;
  const { io, cwd } = context;
  const chosen =
    !next && io.isTerminal && !json
      ? await chooseNamed(io, "story-or-epic", { command: "run", cwd })
      : undefined;
  if (chosen !== undefined) return chosen;
  const nextId = await nextStory(context);
  if (next && nextId !== undefined) return nextId;
  if (next) {
    throw new SagaError("not-found", "No story can be started now.", {
      hint: "`saga status` shows what each story needs.",
    });
  }
  throw new SagaError("usage", "Missing argument <story>.", {
    hint:
      nextId === undefined
        ? "No story can be started now; `saga status` shows what each needs."
        : `Name a story, or start the next one (now ${nextId}): \`saga run --next\`.`,
  });
}

/** A failed story needs a person first. */
async function nextStory({ openProject }: CommandContext): Promise<string | undefined> {
  const { stories } = await openProject().overview();
  return applicableStories("run", stories.values()).find(({ state }) => isStartable(state))?.record
    .id;
}

/** An invalid file is reported when it is read. */
function isEpic({ openProject }: CommandContext, id: string): boolean {
  const at = layoutOf(openProject().project);
  const isStory = idProblem("story", id) !== undefined || findStory(at, id) !== undefined;
  return !isStory && idProblem("epic", id) === undefined && existsSync(epicFile(at, id));
}

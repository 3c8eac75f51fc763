import { hydrate } from "../../../hydrate.ts";
import { count } from "../../../text/plural.ts";
import type { Build } from "../../program/command.ts";
import { plain } from "../../output/terminal.ts";

interface HydrateCommandOptions {
  readonly list?: string;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "hydrate",
        "Load a story's tasks into a Claude Code task list, for your own run. The story's files do not change.",
        [
          "saga hydrate user-auth--api",
          "saga hydrate user-auth--api --json      with the prompt and the tasks",
          "saga hydrate user-auth--api --list saga__user-auth--api",
        ],
      )
      .argument("<story>", "the story")
      .option("--list <name>", "name of the list (default: a new name each time)"),
    async ({ cwd, io }, [storyId = ""], { list }: HydrateCommandOptions) => {
      const hydrated = hydrate(storyId, { cwd, env: io.env, taskListId: list });
      const { taskListId, folder, tasks } = hydrated;
      return {
        json: hydrated,
        text: () =>
          `Loaded ${count(tasks.length, "task")} into ${plain(folder)}\nUse it with CLAUDE_CODE_TASK_LIST_ID=${taskListId}\n`,
      };
    },
  );

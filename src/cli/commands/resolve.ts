import { SagaError } from "../../errors.ts";
import type { Build } from "../command.ts";
import { plain } from "../output.ts";

interface Options {
  readonly blocker?: string;
}

export const build: Build = (shell) =>
  shell.action(
    shell
      .command("resolve", "Answer the question that blocks a story; its next run is told.", [
        'saga resolve add-login "Use PostgreSQL 16."',
        'saga resolve add-login --blocker b2 "Yes, drop the old table."',
        "saga resolve add-login - < answer.md",
      ])
      .argument("<story>", "the story that is blocked")
      .argument("<answer>", "the answer; - reads it from standard input")
      .option("--blocker <number>", "which question, when several are open: b1, b2, …"),
    async ({ io, openProject }, [storyId = "", given = ""], { blocker }: Options) => {
      const text = (given === "-" ? await io.readInput() : given).trim();
      if (text === "") {
        throw new SagaError("usage", "The answer is empty.", {
          hint: `Say it: \`saga resolve ${storyId} "…"\`.`,
        });
      }
      const store = openProject();
      const [title = "", ...rest] = text.split("\n");
      const entry = await store.appendJournal(storyId, {
        kind: "resolution",
        at: new Date().toISOString(),
        title,
        body: rest.join("\n").trim(),
        blocker,
      });
      const { open } = await store.readJournal(storyId);
      const next =
        open.length === 0
          ? `Go on with \`saga run ${storyId}\`.`
          : `Still open: ${open.map((one) => `${one.blocker} ${one.title}`).join("; ")}.`;
      return {
        json: { story: storyId, blocker: entry.blocker, open: open.map((one) => one.blocker) },
        text: () => `${entry.blocker} of ${storyId} is answered. ${plain(next)}\n`,
      };
    },
  );

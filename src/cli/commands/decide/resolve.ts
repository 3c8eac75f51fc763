import { SagaError } from "../../../errors.ts";
import type { Build } from "../../program/command.ts";
import { plain } from "../../output/terminal.ts";
import { EXIT } from "../../../story/state/exit-codes.ts";
import { thenRun } from "../../start/then-run.ts";

interface Options {
  readonly blocker?: string;
  readonly run?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "resolve",
        "Answer the question that blocks a story. Its next run gets the answer.",
        [
          'saga resolve add-login "Use PostgreSQL 16." --run     and continue it at once',
          'saga resolve add-login "Use PostgreSQL 16."',
          'saga resolve add-login --blocker b2 "Yes, drop the old table."',
          "saga resolve add-login - < answer.md",
        ],
      )
      .argument("<story>", "the blocked story")
      .argument("<answer>", "the answer; - reads it from standard input")
      .option("--blocker <number>", "which question, when several are open: b1, b2, …")
      .option("--run", "continue the story at once, like saga run"),
    async (context, [storyId = "", answer = ""], { blocker, run = false }: Options) => {
      const { io, openProject } = context;
      const text = (answer === "-" ? await io.readInput() : answer).trim();
      if (text === "") {
        throw new SagaError("usage", "The answer is empty.", {
          hint: `Write it as \`saga resolve ${storyId} "…"\`.`,
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
      const json = {
        story: storyId,
        blocker: entry.blocker,
        open: open.map((one) => one.blocker),
      };
      const recorded = `Answered question ${entry.blocker} of ${storyId}.`;
      if (run && open.length === 0) return thenRun(context, storyId, { recorded, json });
      const next =
        open.length === 0
          ? `Continue the story: \`saga run ${storyId}\`.`
          : `Still open: ${open.map((one) => `${one.blocker} ${one.title}`).join("; ")} Answer it: \`saga resolve ${storyId} --blocker ${open[0]?.blocker} "…"\`.`;
      return {
        json: { ...json, isStarted: false },
        text: () => `${recorded} ${plain(next)}\n`,
        exitCode: run ? EXIT.question : EXIT.done,
      };
    },
  );

import { SagaError } from "../../../errors.ts";
import type { Build } from "../../program/command.ts";
import { epicBudgetOption, withRunOptions, WORKER_EXITS } from "../../start/run-options.ts";
import { runWorker, type WorkerOptions } from "../../start/run-worker.ts";

export const build: Build = (builder) => {
  const command = withRunOptions(
    builder
      .command(
        "worker",
        "Run a story in this terminal. `saga run` starts this in a session.",
        ["saga worker add-login", "saga worker add-login --output-file worker.log --max-cycles 3"],
        WORKER_EXITS,
      )
      .argument("[story]", "the story to run; without one this help is shown")
      .option("--output-file <path>", "also write the output to this file")
      .option("--session <name>", "the tmux session it runs in, which writes the output file")
      .option("--environment <path>", "a file with the environment; deleted after reading")
      .addOption(epicBudgetOption),
  );
  return builder.action(command, async (context, [storyId], options: WorkerOptions) => {
    if (storyId !== undefined) return runWorker(context, storyId, options);
    throw new SagaError("usage", "Missing argument <story>.", {
      hint: command.helpInformation().trimEnd(),
    });
  });
};

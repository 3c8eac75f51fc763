import { SagaError } from "../../../errors.ts";
import type { Build } from "../../program/command.ts";
import { withRunOptions, WORKER_EXITS } from "../../start/run-options.ts";
import { workOn, type WorkerOptions } from "../../start/run-worker.ts";

export const build: Build = (builder) => {
  const command = withRunOptions(
    builder
      .command(
        "worker",
        "Work on a story here and now. `saga run` starts this in a session.",
        ["saga worker add-login", "saga worker add-login --output-file worker.log --max-cycles 3"],
        WORKER_EXITS,
      )
      .argument("[story]", "the story to work on; without one this help is shown")
      .option("--output-file <path>", "what it prints is in this file as well")
      .option("--session <name>", "the tmux session it runs in, which writes that file")
      .option("--environment <path>", "a file with the environment to work in; it is removed"),
  );
  return builder.action(command, async (context, [storyId], options: WorkerOptions) => {
    if (storyId !== undefined) return workOn(context, storyId, options);
    throw new SagaError("usage", "Missing required argument 'story'.", {
      hint: command.helpInformation().trimEnd(),
    });
  });
};

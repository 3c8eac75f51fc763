import type { Build } from "../command.ts";
import { withRunOptions, WORKER_EXITS } from "../run-options.ts";
import { workOn, type WorkerOptions } from "../work-on.ts";

export const build: Build = (shell) =>
  shell.action(
    withRunOptions(
      shell
        .command(
          "worker",
          "Work on a story here and now. `saga run` starts this in a session.",
          [
            "saga worker add-login",
            "saga worker add-login --output-file worker.log --max-cycles 3",
          ],
          WORKER_EXITS,
        )
        .argument("<story>", "the story to work on")
        .option("--output-file <path>", "what it prints is in this file as well")
        .option("--session <name>", "the tmux session it runs in, which writes that file")
        .option("--environment <path>", "a file with the environment to work in; it is removed"),
    ),
    (session, [storyId = ""], options: WorkerOptions) => workOn(session, storyId, options),
  );

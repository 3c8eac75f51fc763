import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import { openSessionFolder } from "../../store/session-folder.ts";
import type { RunOutcome } from "../../story/state.ts";
import type { RunEvent } from "../../story/run.ts";
import { work, type Ending } from "../../worker/worker.ts";
import type { Answer, Build, Session } from "../command.ts";
import { takeEnvironment } from "../handover.ts";
import { logLine } from "../log-lines.ts";
import { painter } from "../output.ts";
import { limitsOf, withRunOptions, type RunOptions } from "../run-options.ts";
import { requireClaude } from "../startable.ts";

interface WorkerOptions extends RunOptions {
  readonly outputFile?: string;
  readonly session?: string;
  readonly environment?: string;
  readonly json?: boolean;
}

const EXIT_CODES = { done: 0, failed: 1, stopped: 1, limit: 2, blocked: 3 } as const;

export const build: Build = (shell) =>
  shell.action(
    withRunOptions(
      shell
        .command("worker", "Work on a story here and now. `saga run` starts this in a session.", [
          "saga worker add-login",
          "saga worker add-login --output-file worker.log --max-cycles 3",
        ])
        .argument("<story>", "the story to work on")
        .option("--output-file <path>", "what it prints is in this file as well")
        .option("--session <name>", "the tmux session it runs in, which writes that file")
        .option("--environment <path>", "a file with the environment to work in; it is removed"),
    ),
    (session, [storyId = ""], options: WorkerOptions) => workOn(session, storyId, options),
  );

export async function workOn(
  { io, cwd, openProject }: Session,
  storyId: string,
  options: WorkerOptions,
): Promise<Answer> {
  io.keepGoing();
  const env = options.environment === undefined ? io.env : takeEnvironment(options.environment);
  const store = openProject();
  const settings = await store.settings();
  const { outputFile, session } = options;
  const file = outputFile === undefined ? undefined : resolve(cwd, outputFile);
  const paint = painter(io.hasColour);
  const print = (event: RunEvent): void => {
    const line = logLine(event, paint);
    if (line === "") return;
    if (!options.json) io.writeOut(line);
    if (file !== undefined && session === undefined) appendFileSync(file, line);
  };
  const ending = await work(
    { storyId, ...limitsOf(options, settings), session, outputFile: file },
    {
      store,
      env,
      claude: requireClaude(settings, { ...io, env }, store.project),
      sessionDir: openSessionFolder(env, process.getuid?.()),
      now: Date.now,
      print,
      stop: io.untilStopped(),
    },
  );
  return answerOf(storyId, ending);
}

/** The last event has said it already, to those who read lines. */
const answerOf = (story: string, ending: Ending): Answer => ({
  json: { story, ...ending, exitCode: exitCodeOf(ending.outcome) },
  text: () => "",
  exitCode: exitCodeOf(ending.outcome),
});

const exitCodeOf = (outcome: RunOutcome): 0 | 1 | 2 | 3 => EXIT_CODES[outcome];

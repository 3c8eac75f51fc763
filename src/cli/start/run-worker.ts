// Runs a worker in this process, and prints its events.

import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import { layoutOf } from "../../store/project/layout.ts";
import { openSessionFolder } from "../../store/project/session-folder.ts";
import { readDrainRequest } from "../../store/leases/drain-request.ts";
import { isStopRequested } from "../../store/leases/stop-request.ts";
import { EXIT, type ExitCode } from "../../story/state/exit-codes.ts";
import type { RunOutcome } from "../../story/state/state.ts";
import type { RunEvent } from "../../story/state/run.ts";
import { workOnStory } from "../../worker/worker.ts";
import type { WorkerResult } from "../../worker/steps/run-record.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { takeEnvironment } from "./session-environment.ts";
import { TERMINATED } from "../program/io.ts";
import { logLine } from "../output/event-lines.ts";
import { painter } from "../output/terminal.ts";
import { startMemberWork, type MemberWork } from "../fleet/member-work.ts";
import { limitsOf, type RunOptions } from "./run-options.ts";
import { requireAgent, requireSandbox } from "./require-startable.ts";
import { notifyOfBudget, notifyOfRun } from "../watch/notify.ts";

export interface WorkerOptions extends RunOptions {
  readonly outputFile?: string;
  readonly session?: string;
  readonly environment?: string;
  readonly json?: boolean;
}

const EXIT_CODES: Readonly<Record<RunOutcome, ExitCode>> = {
  done: EXIT.done,
  merged: EXIT.done,
  failed: EXIT.error,
  stopped: EXIT.error,
  killed: EXIT.error,
  "sent-back": EXIT.done,
  "push-failed": EXIT.pushFailed,
  limit: EXIT.limit,
  blocked: EXIT.question,
};

export async function runWorker(
  { io, cwd, openProject }: CommandContext,
  storyId: string,
  options: WorkerOptions,
): Promise<CommandResult> {
  io.continueOnError();
  const env = options.environment === undefined ? io.env : takeEnvironment(options.environment);
  const store = openProject(env);
  const settings = await store.settings();
  await requireSandbox(settings, { ...io, env });
  const { outputFile, session } = options;
  const file = outputFile === undefined ? undefined : resolve(cwd, outputFile);
  const paint = painter(io.hasColour);
  const print = (event: RunEvent): void => {
    const line = logLine(event, paint);
    if (line === "") return;
    if (!options.json) io.writeOut(line);
    if (file !== undefined && session === undefined) appendFileSync(file, line);
  };
  const stop = io.untilStopped();
  const startedMs = Date.now() - process.uptime() * 1000;
  const member = await startMemberWork({ store, settings, env }, storyId);
  const ending = await whileMember(member, () =>
    workOnStory(
      { storyId, ...limitsOf(options, settings), session, outputFile: file },
      {
        store,
        settings,
        env,
        agent: requireAgent(settings, { ...io, env }, store.project),
        sessionDir: openSessionFolder(env, process.getuid?.()),
        now: Date.now,
        print,
        stop,
        // `saga stop` writes its request before it sends the signal.
        isStopWanted: () =>
          stop.reason !== TERMINATED ||
          isStopRequested(layoutOf(store.project), storyId, startedMs),
        onBudget: ({ spentUsd, budgetUsd }) =>
          void notifyOfBudget({ io, store, settings, env }, { spentUsd, budgetUsd }),
        drainRequest: () => readDrainRequest(layoutOf(store.project), storyId, startedMs),
      },
    ),
  );
  await notifyOfRun({ store, settings, env, io }, storyId, ending);
  return resultOf(storyId, ending);
}

async function whileMember<T>(member: MemberWork, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } finally {
    await member.end();
  }
}

/** No text: the last event was printed already. */
export const resultOf = (story: string, ending: WorkerResult): CommandResult => ({
  json: { story, ...ending, exitCode: EXIT_CODES[ending.outcome] },
  text: () => "",
  exitCode: EXIT_CODES[ending.outcome],
});

// Keeps a pool running: starts the daemon as its child process. If the daemon fails, the overseer repairs what it can and
// starts it again. Decisions are in oversight.ts; this only acts.

import type { Context } from "../../context.ts";
import type { ChildProcess } from "node:child_process";
import { endOfLimit } from "../../agent/usage-limit.ts";
import { messageOf } from "../../errors.ts";
import { pause } from "../../machine/processes/timer.ts";
import type { ExitCode } from "../../story/state/exit-codes.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import { waitForWorkers, watchDaemon, type DaemonLife } from "./daemon-child.ts";
import { fixPermissions } from "./fix-permissions.ts";
import { judgeEnd, nextTry, NO_TRIES, type RetryLimits, type Tries } from "./oversight.ts";
import { problemText, type RepairResult, type RepairRequest } from "./repair-run.ts";

export interface Overseer extends Pick<Context, "now" | "stop"> {
  readonly project: string;
  /** The folder of the list. */
  readonly list: string;
  readonly startDaemon: () => ChildProcess;
  readonly limits: RetryLimits;
  readonly hangMs: number;
  /** How long a daemon may take to end after a stop. */
  readonly graceMs: number;
  /** The same for a hung daemon. */
  readonly hungGraceMs: number;
  /** After running this long, earlier failures no longer count. */
  readonly settledMs: number;
  readonly findProblems: () => Promise<readonly PoolProblem[]>;
  readonly repair: (request: RepairRequest) => Promise<RepairResult>;
  readonly logLine: (sentence: string) => void;
  /** Prints the daemon's own output. */
  readonly pass: (text: string) => void;
}

export interface OverseerEnd {
  readonly exitCode: ExitCode;
  /** Why it gave up, for a person. */
  readonly gaveUp: { readonly failure: PoolProblem | undefined; readonly why: string } | undefined;
  /** The output of the last daemon. */
  readonly answer: string;
  readonly starts: number;
  readonly repairs: number;
}

export async function oversee(overseer: Overseer): Promise<OverseerEnd> {
  const { stop, logLine, settledMs } = overseer;
  let tries: Tries = NO_TRIES;
  let repairs = 0;
  for (let starts = 1; ; starts++) {
    const life = await runOnce(overseer);
    const ended = { answer: life.stdout, starts, repairs };
    const end = judgeEnd(life);
    if (stop.aborted)
      return { ...ended, exitCode: end.kind === "clean" ? end.exitCode : 1, gaveUp: undefined };
    if (end.kind === "clean") return { ...ended, exitCode: end.exitCode, gaveUp: undefined };
    const found = end.kind === "refused" ? (await overseer.findProblems())[0] : end.failure;
    if (found === undefined)
      return { ...ended, ...giveUp(undefined, `The pool cannot start: ${life.lastWords}`) };
    logLine(`The pool has stopped: ${problemText([found])}`);
    if (life.folder !== undefined) {
      await waitForWorkers(overseer.project, life.folder, { mostMs: overseer.graceMs, stop });
    }
    if (life.livedMs > settledMs) tries = NO_TRIES;
    const helped = await repairProblems(overseer, found, tries);
    repairs += helped.repairs;
    if (helped.kind === "gave-up") return { ...ended, repairs, ...giveUp(found, helped.why) };
    if (helped.kind === "stopped") return { ...ended, repairs, exitCode: 1, gaveUp: undefined };
    tries = helped.tries;
    logLine("Restarting the pool.");
  }
}

const giveUp = (failure: PoolProblem | undefined, why: string) =>
  ({ exitCode: 1, gaveUp: { failure, why } }) as const;

const runOnce = (overseer: Overseer): Promise<DaemonLife> =>
  watchDaemon(overseer.startDaemon(), {
    project: overseer.project,
    hangMs: overseer.hangMs,
    graceMs: overseer.graceMs,
    hungGraceMs: overseer.hungGraceMs,
    stop: overseer.stop,
    onError: overseer.pass,
  });

type Helped =
  | { readonly kind: "helped"; readonly tries: Tries; readonly repairs: number }
  | { readonly kind: "gave-up"; readonly why: string; readonly repairs: number }
  | { readonly kind: "stopped"; readonly repairs: number };

/** Repairs until no problem is left, or the number of attempts is reached. */
async function repairProblems(
  overseer: Overseer,
  failure: PoolProblem,
  before: Tries,
): Promise<Helped> {
  const { logLine, stop, limits, now } = overseer;
  let tries = before;
  let repairs = 0;
  let lastError: string | undefined;
  for (;;) {
    const next = nextTry(tries, failure, limits);
    if (next.kind === "give-up") {
      return { kind: "gave-up", why: lastError ?? problemText([failure]), repairs };
    }
    tries = next.tries;
    const problems = await fixAndFindProblems(overseer, failure);
    const [first, ...more] = problems;
    let repaired: RepairResult | undefined;
    if (first !== undefined) {
      logLine(`Attempt ${next.attempt} of ${limits.repairs} to repair ${problemText([first])}`);
      repairs++;
      repaired = await attempt(overseer, { problems: [first, ...more], before: lastError });
    }
    if (repaired?.kind === "stopped" || stop.aborted) return { kind: "stopped", repairs };
    if (repaired?.kind === "limit" && repaired.resetsAtMs !== undefined) {
      // The repair did not run, so the attempt does not count.
      tries = before;
      const untilMs = endOfLimit(repaired.resetsAtMs, { nowMs: now(), pauseMs: next.pauseMs });
      logLine(`${repaired.reason} Waiting until ${new Date(untilMs).toISOString()}.`);
      await pause(untilMs - now(), stop);
      continue;
    }
    await pause(next.pauseMs, stop);
    if (stop.aborted) return { kind: "stopped", repairs };
    if (repaired === undefined || repaired.kind === "repaired")
      return { kind: "helped", tries, repairs };
    lastError = repaired.kind === "limit" ? repaired.reason : repaired.why;
    logLine(`The repair failed. ${lastError}`);
  }
}

/** The current problems, after fixing those that need no model. */
async function fixAndFindProblems(
  { list, findProblems, logLine }: Overseer,
  failure: PoolProblem,
): Promise<readonly PoolProblem[]> {
  const problems = await findProblems();
  const fixed = [failure, ...problems].filter((problem) => fixPermissions(list, problem));
  if (fixed.length === 0) return problems;
  for (const { file } of fixed) logLine(`Fixed the permissions of ${file ?? list}.`);
  return findProblems();
}

/** An error of Saga counts as a failed attempt: the overseer tries the next one. */
async function attempt(overseer: Overseer, request: RepairRequest): Promise<RepairResult> {
  try {
    return await overseer.repair(request);
  } catch (error) {
    return { kind: "not-repaired", copy: "", why: messageOf(error) };
  }
}

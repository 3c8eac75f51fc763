// Keeps a pool going: starts the daemon as its own child, and when that ends because of a failure, mends
// what can be mended and starts it again. See oversight.ts for what is decided; this only acts.

import type { Context } from "../../context.ts";
import type { ChildProcess } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { endOfLimit } from "../../agent/usage-limit.ts";
import { messageOf } from "../../errors.ts";
import { MAX_TIMER_MS } from "../../machine/processes/timer.ts";
import type { ExitCode } from "../../story/state/exit-codes.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import { untilWorkersEnd, watchDaemon, type DaemonLife } from "./daemon-child.ts";
import { mendPermissions } from "./fix-permissions.ts";
import { judgeEnd, nextTry, NO_TRIES, type RetryLimits, type Tries } from "./oversight.ts";
import { told, type Repaired, type RepairOrder } from "./repair-run.ts";

export interface Overseer extends Pick<Context, "now" | "stop"> {
  readonly project: string;
  /** The folder of the list. */
  readonly list: string;
  readonly startDaemon: () => ChildProcess;
  readonly patience: RetryLimits;
  readonly hangMs: number;
  /** How long a daemon that was asked to end may take. */
  readonly graceMs: number;
  /** The same for one that is hung. */
  readonly hungGraceMs: number;
  /** After so long, its earlier failures no longer count. */
  readonly settledMs: number;
  readonly findProblems: () => Promise<readonly PoolProblem[]>;
  readonly repair: (order: RepairOrder) => Promise<Repaired>;
  readonly say: (sentence: string) => void;
  /** What the daemon itself says. */
  readonly pass: (text: string) => void;
}

export interface OverseerEnd {
  readonly exitCode: ExitCode;
  /** Why it gave up, for a person. */
  readonly gaveUp: { readonly failure: PoolProblem | undefined; readonly why: string } | undefined;
  /** What the last daemon answered. */
  readonly answer: string;
  readonly starts: number;
  readonly repairs: number;
}

export async function oversee(overseer: Overseer): Promise<OverseerEnd> {
  const { stop, say, settledMs } = overseer;
  let tries: Tries = NO_TRIES;
  let repairs = 0;
  for (let starts = 1; ; starts++) {
    const life = await liveOnce(overseer);
    const ended = { answer: life.stdout, starts, repairs };
    const end = judgeEnd(life);
    if (stop.aborted)
      return { ...ended, exitCode: end.kind === "clean" ? end.exitCode : 1, gaveUp: undefined };
    if (end.kind === "clean") return { ...ended, exitCode: end.exitCode, gaveUp: undefined };
    const found = end.kind === "refused" ? (await overseer.findProblems())[0] : end.failure;
    if (found === undefined)
      return { ...ended, ...givenUp(undefined, `The pool does not start: ${life.lastWords}`) };
    say(`The pool has stopped: ${told([found])}`);
    if (life.folder !== undefined) {
      await untilWorkersEnd(overseer.project, life.folder, { mostMs: overseer.graceMs, stop });
    }
    if (life.livedMs > settledMs) tries = NO_TRIES;
    const helped = await help(overseer, found, tries);
    repairs += helped.repairs;
    if (helped.kind === "gave-up") return { ...ended, repairs, ...givenUp(found, helped.why) };
    if (helped.kind === "stopped") return { ...ended, repairs, exitCode: 1, gaveUp: undefined };
    tries = helped.tries;
    say("The pool is started again.");
  }
}

const givenUp = (failure: PoolProblem | undefined, why: string) =>
  ({ exitCode: 1, gaveUp: { failure, why } }) as const;

const liveOnce = (overseer: Overseer): Promise<DaemonLife> =>
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

/** Until nothing is wrong any more with what a daemon reads, or it has been tried often enough. */
async function help(overseer: Overseer, failure: PoolProblem, before: Tries): Promise<Helped> {
  const { say, stop, patience, now } = overseer;
  let tries = before;
  let repairs = 0;
  let left: string | undefined;
  for (;;) {
    const next = nextTry(tries, failure, patience);
    if (next.kind === "give-up") {
      return { kind: "gave-up", why: left ?? told([failure]), repairs };
    }
    tries = next.tries;
    const problems = await mendAndLook(overseer, failure);
    const [first, ...more] = problems;
    let repaired: Repaired | undefined;
    if (first !== undefined) {
      say(`Attempt ${next.attempt} of ${patience.repairs} to repair ${told([first])}`);
      repairs++;
      repaired = await attempt(overseer, { problems: [first, ...more], before: left });
    }
    if (repaired?.kind === "stopped" || stop.aborted) return { kind: "stopped", repairs };
    if (repaired?.kind === "limit" && repaired.resetsAtMs !== undefined) {
      // It has not been tried at all.
      tries = before;
      const untilMs = endOfLimit(repaired.resetsAtMs, { nowMs: now(), pauseMs: next.pauseMs });
      say(`${repaired.reason} Waiting until ${new Date(untilMs).toISOString()}.`);
      await pause(untilMs - now(), stop);
      continue;
    }
    await pause(next.pauseMs, stop);
    if (stop.aborted) return { kind: "stopped", repairs };
    if (repaired === undefined || repaired.kind === "repaired")
      return { kind: "helped", tries, repairs };
    left = repaired.kind === "limit" ? repaired.reason : repaired.why;
    say(`It is not repaired. ${left}`);
  }
}

/** What is wrong now, after what needs no model has been put right. */
async function mendAndLook(
  { list, findProblems, say }: Overseer,
  failure: PoolProblem,
): Promise<readonly PoolProblem[]> {
  const problems = await findProblems();
  const mended = [failure, ...problems].filter((problem) => mendPermissions(list, problem));
  if (mended.length === 0) return problems;
  for (const { file } of mended) say(`The permissions of ${file ?? list} are put right.`);
  return findProblems();
}

/** A fault of ours is a failed attempt like any other: the pool is not left lying for it. */
async function attempt(overseer: Overseer, order: RepairOrder): Promise<Repaired> {
  try {
    return await overseer.repair(order);
  } catch (error) {
    return { kind: "not-repaired", kept: "", why: messageOf(error) };
  }
}

async function pause(ms: number, stop: AbortSignal): Promise<void> {
  // Longer than this, a timer would be no wait at all; who is asked too soon says so once more.
  const waitMs = Math.min(Math.max(0, ms), MAX_TIMER_MS);
  await wait(waitMs, undefined, { signal: stop }).catch(() => undefined);
}

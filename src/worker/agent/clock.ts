// The time of one start: for work, and for waiting until a usage limit is over. Separate when the settings give
// waiting a time of its own. However often the gate sends the work back, it is the same start.

import { setTimeout as wait } from "node:timers/promises";
import type { Outcome } from "../../claude/outcome.ts";
import { endOfLimit, readWall, rememberWall } from "../../agent/usage-limit.ts";
import { MAX_TIMER_MS } from "../../machine/processes/timer.ts";
import type { Limit, RunOutcome } from "../../story/state/state.ts";
import type { Work } from "../work.ts";

/** How the work on a story has come to an end. */
export interface LoopEnd {
  readonly outcome: RunOutcome;
  readonly reason: string;
  /** Which one, when the outcome is `limit`. */
  readonly limit?: Limit | undefined;
}

export const STOPPED: LoopEnd = { outcome: "stopped", reason: "Stopped by you." };

export interface Clock {
  readonly deadlineMs: () => number;
  /** What takes its time here, and is no agent's work. */
  readonly aside: <T>(act: () => Promise<T>) => Promise<T>;
  readonly hitLimit: (limit: Extract<Outcome, { kind: "limit" }>) => void;
  /** The service answers again. */
  readonly hasPassed: () => void;
  /** Waits while the account is at its limit; an end when that would take too long. */
  readonly untilWallIsGone: () => Promise<LoopEnd | undefined>;
}

/** However often the service has refused without saying for how long. */
const LONGEST_PAUSE_MS = 30 * 60_000;

export function newClock({ order, around, settings, record }: Work): Clock {
  let deadlineMs = around.now() + order.maxMs;
  const { wait: waitMinutes } = settings.limits;
  let waitLeftMs = (waitMinutes ?? 0) * 60_000;
  const firstPauseMs = settings.limits.pause * 1000;
  let pauseMs = firstPauseMs;
  return {
    deadlineMs: () => deadlineMs,
    async aside(act) {
      const [fromMs, beforeMs] = [around.now(), deadlineMs];
      try {
        return await act();
      } finally {
        // Where it waited for a limit, that is counted already.
        deadlineMs = Math.max(deadlineMs, beforeMs + around.now() - fromMs);
      }
    },
    hitLimit({ resetsAtMs, reason, family }) {
      const untilMs = endOfLimit(resetsAtMs, { nowMs: around.now(), pauseMs });
      rememberWall(around.env, { untilMs, reason }, family, order.model);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    },
    hasPassed() {
      pauseMs = firstPauseMs;
    },
    async untilWallIsGone() {
      for (;;) {
        const wall = readWall(around.env, around.now(), order.model);
        if (!wall) return undefined;
        const waitMs = wall.untilMs - around.now();
        const until = new Date(wall.untilMs).toISOString();
        const allowedMs = waitMinutes === undefined ? deadlineMs - around.now() : waitLeftMs;
        if (waitMs > allowedMs) {
          const reason = `${wall.reason} It is over at ${until}.`;
          return { outcome: "limit", limit: "usage", reason };
        }
        record.note({ type: "limit.reached", reason: wall.reason, until });
        if (waitMinutes !== undefined) {
          waitLeftMs -= waitMs;
          deadlineMs += waitMs;
        }
        try {
          await wait(Math.min(waitMs, MAX_TIMER_MS), undefined, { signal: around.stop });
        } catch {
          return STOPPED;
        }
      }
    },
  };
}

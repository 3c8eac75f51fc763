// The time that one start of a worker has: for work, and for waiting until a usage limit ends. Waiting
// has its own time if the settings give it one. All rounds of gate and fix share the same budget.
// Its counterpart for tasks is `pool/task/time-budget.ts`.

import { setTimeout as wait } from "node:timers/promises";
import type { Outcome } from "../../claude/outcome.ts";
import { endOfLimit, readUsageLimit, recordUsageLimit } from "../../agent/usage-limit.ts";
import { MAX_TIMER_MS } from "../../machine/processes/timer.ts";
import { STOPPED, type StoryEnd } from "../ending.ts";
import type { Work } from "../context.ts";

export interface TimeBudget {
  readonly deadlineMs: () => number;
  /** The time that `act` takes does not count: the gate runs, not the agent. */
  readonly pauseDuring: <T>(act: () => Promise<T>) => Promise<T>;
  readonly recordLimit: (limit: Extract<Outcome, { kind: "limit" }>) => void;
  /** The service answers again: the next pause is short. */
  readonly resetPause: () => void;
  /** Waits while the account is at its limit. Returns an end if that would take too long. */
  readonly waitForUsageLimit: () => Promise<StoryEnd | undefined>;
}

/** The longest pause if the service refuses again and again without saying for how long. */
const MAX_PAUSE_MS = 30 * 60_000;

export function newTimeBudget({ request, context, settings, record }: Work): TimeBudget {
  let deadlineMs = context.now() + request.maxMs;
  const { wait: waitMinutes } = settings.limits;
  let waitLeftMs = (waitMinutes ?? 0) * 60_000;
  const firstPauseMs = settings.limits.pause * 1000;
  let pauseMs = firstPauseMs;
  return {
    deadlineMs: () => deadlineMs,
    async pauseDuring(act) {
      const [fromMs, beforeMs] = [context.now(), deadlineMs];
      try {
        return await act();
      } finally {
        // A wait for a usage limit during `act` has already moved the deadline.
        deadlineMs = Math.max(deadlineMs, beforeMs + context.now() - fromMs);
      }
    },
    recordLimit({ resetsAtMs, reason, family }) {
      const untilMs = endOfLimit(resetsAtMs, { nowMs: context.now(), pauseMs });
      recordUsageLimit(context.env, { untilMs, reason }, family, request.model);
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    },
    resetPause() {
      pauseMs = firstPauseMs;
    },
    async waitForUsageLimit() {
      for (;;) {
        const usageLimit = readUsageLimit(context.env, context.now(), request.model);
        if (!usageLimit) return undefined;
        const waitMs = usageLimit.untilMs - context.now();
        const until = new Date(usageLimit.untilMs).toISOString();
        const allowedMs = waitMinutes === undefined ? deadlineMs - context.now() : waitLeftMs;
        if (waitMs > allowedMs) {
          const reason = `${usageLimit.reason} The limit ends at ${until}.`;
          return { outcome: "limit", limit: "usage", reason };
        }
        record.note({ type: "limit.reached", reason: usageLimit.reason, until });
        if (waitMinutes !== undefined) {
          waitLeftMs -= waitMs;
          deadlineMs += waitMs;
        }
        try {
          await wait(Math.min(waitMs, MAX_TIMER_MS), undefined, { signal: context.stop });
        } catch {
          return STOPPED;
        }
      }
    },
  };
}

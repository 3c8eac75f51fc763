// The time that an employer's agents have: for work, and for waiting until a usage limit ends. Waiting has its own
// time if the settings give it one.

import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "../context.ts";
import { MAX_TIMER_MS } from "../machine/processes/timer.ts";
import type { RunRecord } from "../story/state/run-record.ts";
import type { Settings } from "../story/settings/settings.ts";
import type { LimitOutcome } from "./agent.ts";
import { endOfLimit, readUsageLimit, recordUsageLimit } from "./usage-limit.ts";

export interface TimeBudget<End> {
  readonly deadlineMs: () => number;
  /** The time that `act` takes does not count: the gate runs, not the agent. */
  readonly pauseDuring: <T>(act: () => Promise<T>) => Promise<T>;
  readonly recordLimit: (limit: LimitOutcome) => void;
  /** The service answers again: the next pause is short. */
  readonly resetPause: () => void;
  /** Waits while the account is at its limit. Returns an end if that would take too long. */
  readonly waitForUsageLimit: () => Promise<End | undefined>;
}

export interface BudgetOptions<End> extends Pick<Context, "env" | "now" | "stop"> {
  readonly settings: Pick<Settings, "limits">;
  readonly record: Pick<RunRecord, "note">;
  readonly maxMs: number;
  readonly model: string;
  /** Called when a wait starts. */
  readonly onWait?: () => void;
  readonly stopped: End;
  readonly tooLong: (reason: string) => End;
}

/** The longest pause if the service refuses again and again without saying for how long. */
const MAX_PAUSE_MS = 30 * 60_000;

export function newTimeBudget<End>(options: BudgetOptions<End>): TimeBudget<End> {
  const { env, now, stop, settings, record, model } = options;
  let deadlineMs = now() + options.maxMs;
  const { wait: waitMinutes } = settings.limits;
  let waitLeftMs = (waitMinutes ?? 0) * 60_000;
  const firstPauseMs = settings.limits.pause * 1000;
  let pauseMs = firstPauseMs;
  return {
    deadlineMs: () => deadlineMs,
    async pauseDuring(act) {
      const [fromMs, beforeMs] = [now(), deadlineMs];
      try {
        return await act();
      } finally {
        // A wait for a usage limit during `act` has already moved the deadline.
        deadlineMs = Math.max(deadlineMs, beforeMs + now() - fromMs);
      }
    },
    recordLimit({ resetsAtMs, reason, family }) {
      const untilMs = endOfLimit(resetsAtMs, { nowMs: now(), pauseMs });
      recordUsageLimit(env, { untilMs, reason }, family, model);
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    },
    resetPause() {
      pauseMs = firstPauseMs;
    },
    async waitForUsageLimit() {
      for (;;) {
        const usageLimit = readUsageLimit(env, now(), model);
        if (!usageLimit) return undefined;
        const waitMs = usageLimit.untilMs - now();
        const until = new Date(usageLimit.untilMs).toISOString();
        const allowedMs = waitMinutes === undefined ? deadlineMs - now() : waitLeftMs;
        if (waitMs > allowedMs) {
          return options.tooLong(`${usageLimit.reason} The limit ends at ${until}.`);
        }
        record.note({ type: "limit.reached", reason: usageLimit.reason, until });
        options.onWait?.();
        if (waitMinutes !== undefined) {
          waitLeftMs -= waitMs;
          deadlineMs += waitMs;
        }
        const restMs = Math.min(waitMs, MAX_TIMER_MS);
        await wait(restMs, undefined, { signal: stop }).catch(() => undefined);
        if (stop.aborted) return options.stopped;
      }
    },
  };
}

// The time that one task has: for work, and for waiting until a usage limit ends. The settings are those of a
// story's worker. Its counterpart for stories is `worker/agent/time-budget.ts`.

import { setTimeout as wait } from "node:timers/promises";
import type { Outcome } from "../../claude/outcome.ts";
import { endOfLimit, readUsageLimit, recordUsageLimit } from "../../agent/usage-limit.ts";
import { MAX_TIMER_MS } from "../../machine/processes/timer.ts";
import { STOPPED, type Returned } from "./outcome.ts";
import type { PoolWorker, TaskWork } from "./context.ts";

/** The longest pause if the service refuses again and again without saying for how long. */
const MAX_PAUSE_MS = 30 * 60_000;

export interface TaskTimeBudget {
  readonly deadlineMs: () => number;
  readonly recordLimit: (limit: Extract<Outcome, { kind: "limit" }>) => void;
  /** Waits while the account is at its limit. Returns an end if that would take too long. */
  readonly waitForUsageLimit: () => Promise<Returned | undefined>;
}

export function newTaskTimeBudget({ worker, record, request }: TaskWork): TaskTimeBudget {
  const { settings, now, env } = worker;
  let deadlineMs = now() + settings.run.maxMinutes * 60_000;
  let waitLeftMs = (settings.limits.wait ?? 0) * 60_000;
  let pauseMs = settings.limits.pause * 1000;
  return {
    deadlineMs: () => deadlineMs,
    recordLimit({ resetsAtMs, reason, family }) {
      const untilMs = endOfLimit(resetsAtMs, { nowMs: now(), pauseMs });
      recordUsageLimit(env, { untilMs, reason }, family, request.model);
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    },
    async waitForUsageLimit() {
      for (;;) {
        const usageLimit = readUsageLimit(env, now(), request.model);
        if (!usageLimit) return undefined;
        const waitMs = usageLimit.untilMs - now();
        const until = new Date(usageLimit.untilMs).toISOString();
        const hasOwnTime = settings.limits.wait !== undefined;
        if (waitMs > (hasOwnTime ? waitLeftMs : deadlineMs - now())) {
          return { kind: "returned", reason: `${usageLimit.reason} The limit ends at ${until}.` };
        }
        record.note({ type: "limit.reached", reason: usageLimit.reason, until });
        worker.say({ state: "waiting" });
        if (hasOwnTime) {
          waitLeftMs -= waitMs;
          deadlineMs += waitMs;
        }
        const restMs = Math.min(waitMs, MAX_TIMER_MS);
        await wait(restMs, undefined, { signal: worker.stop }).catch(() => undefined);
        if (worker.stop.aborted) return STOPPED;
      }
    },
  };
}

const CHECK_EVERY_MS = 1_000;

/** Before a task is claimed: a task that would only wait is left to other workers. */
export async function waitForAccount(
  { settings, env, now, stop, say }: PoolWorker,
  /** Whether the worker should still wait. */
  isWanted: () => boolean,
): Promise<void> {
  for (;;) {
    const usageLimit = readUsageLimit(env, now(), settings.claude.model);
    if (!usageLimit || stop.aborted || !isWanted()) return;
    say({ state: "waiting" });
    const waitMs = Math.min(usageLimit.untilMs - now(), CHECK_EVERY_MS);
    await wait(waitMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

// How long a task may take, and how long it may wait for an account that is at its limit: as the
// settings say for a story's worker.

import { setTimeout as wait } from "node:timers/promises";
import type { Outcome } from "../../claude/outcome.ts";
import { endOfLimit, readUsageLimit, recordUsageLimit } from "../../agent/usage-limit.ts";
import { MAX_TIMER_MS } from "../../machine/processes/timer.ts";
import type { PoolWorker, TaskWork } from "./context.ts";

/** However often the service has refused without saying for how long. */
const LONGEST_PAUSE_MS = 30 * 60_000;

export interface TaskTimeBudget {
  readonly deadlineMs: () => number;
  readonly recordLimit: (limit: Extract<Outcome, { kind: "limit" }>) => void;
  /** Why the task has to wait for another time, if it has. */
  readonly waitForUsageLimit: () => Promise<
    { readonly kind: "returned"; readonly reason: string } | undefined
  >;
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
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
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
        if (worker.stop.aborted) return { kind: "returned", reason: "It was stopped." };
      }
    },
  };
}

const LOOK_EVERY_MS = 1_000;

/** Before a task is taken: one that would only wait is left to others. */
export async function untilAccountIsFree(
  { settings, env, now, stop, say }: PoolWorker,
  /** Whether there is still a point in waiting. */
  isWanted: () => boolean,
): Promise<void> {
  for (;;) {
    const usageLimit = readUsageLimit(env, now(), settings.claude.model);
    if (!usageLimit || stop.aborted || !isWanted()) return;
    say({ state: "waiting" });
    const waitMs = Math.min(usageLimit.untilMs - now(), LOOK_EVERY_MS);
    await wait(waitMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

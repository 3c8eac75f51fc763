import { setTimeout as wait } from "node:timers/promises";
import { readUsageLimit } from "../../agent/usage-limit.ts";
import type { PoolWorker } from "../task/context.ts";

const CHECK_EVERY_MS = 1_000;

/** Before a task is claimed: a task that would only wait is left to other workers. */
export async function waitForAccount(
  { settings, env, now, stop, report }: PoolWorker,
  /** Whether the worker should still wait. */
  isWanted: () => boolean,
): Promise<void> {
  for (;;) {
    const usageLimit = readUsageLimit(env, now(), settings.claude.model);
    if (!usageLimit || stop.aborted || !isWanted()) return;
    report({ state: "waiting" });
    const waitMs = Math.min(usageLimit.untilMs - now(), CHECK_EVERY_MS);
    await wait(waitMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

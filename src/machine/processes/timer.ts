import { setTimeout as wait } from "node:timers/promises";

/** The longest timer that Node supports, about 25 days: a longer one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Ends early when it is stopped. */
export async function pause(ms: number, stop?: AbortSignal): Promise<void> {
  const waitMs = Math.min(Math.max(0, ms), MAX_TIMER_MS);
  await wait(waitMs, undefined, stop && { signal: stop }).catch(() => undefined);
}

export interface WaitLimits {
  readonly maxMs: number;
  readonly pollMs?: number;
  readonly stop?: AbortSignal;
}

/** For what no event reports, such as the end of a process that is not a child. Returns whether it came true in time. */
export async function waitUntil(
  isTrue: () => boolean | Promise<boolean>,
  { maxMs, pollMs = 50, stop }: WaitLimits,
): Promise<boolean> {
  const deadline = performance.now() + maxMs;
  for (;;) {
    if (await isTrue()) return true;
    if (performance.now() >= deadline || stop?.aborted) return false;
    await pause(pollMs, stop);
  }
}

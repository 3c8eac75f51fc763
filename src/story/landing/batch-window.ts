import type { Entry } from "./entry.ts";

/** Commands that are started together reach the lane within moments of each other. */
export const QUIET_MS = 500;

/** Whether more entries are about to arrive, so that a run of the checks for these alone would be wasted. Pure. */
export function isGathering(
  entries: readonly Pick<Entry, "enqueuedAt">[],
  batchSize: number,
  nowMs: number,
): boolean {
  if (entries.length < 2 || entries.length >= batchSize) return false;
  const newestMs = Math.max(...entries.map(({ enqueuedAt }) => Date.parse(enqueuedAt)));
  const ageMs = nowMs - newestMs;
  return ageMs >= 0 && ageMs < QUIET_MS;
}

// Renews leases and claims at an interval. A failed write does not stop the work: processes on this machine
// judge the owner by its pid, and the next beat may succeed.

export const startHeartbeat = (
  everyMs: number,
  ...beats: readonly (() => unknown)[]
): NodeJS.Timeout =>
  setInterval(() => {
    for (const beat of beats) {
      try {
        beat();
      } catch {
        // The disk is full, read-only or gone: the work itself fails on that and reports it.
      }
    }
  }, everyMs);

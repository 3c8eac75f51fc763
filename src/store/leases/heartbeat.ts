// Renews leases and claims at an interval. A failed write does not stop the work: processes on this machine
// judge the owner by its pid, and the next beat may succeed.

export function startHeartbeat(
  everyMs: number,
  ...beats: readonly (() => unknown)[]
): NodeJS.Timeout {
  let isBeating = false;
  const beatAll = async (): Promise<void> => {
    isBeating = true;
    // A beat fails when the disk is full, read-only or gone: the work itself fails on that and reports it.
    await Promise.allSettled(beats.map(async (beat) => beat()));
    isBeating = false;
  };
  return setInterval(() => {
    if (!isBeating) void beatAll();
  }, everyMs);
}

// The id of a run: its start time and a random part. Without packages, because hook scripts use it.

export function newRunId(nowMs: number, random: string): string {
  return `${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, "")}-${random}`;
}

/** Twelve hours, for a clock that was wrong and has been corrected: runs from before and after both count. */
const TOLERATED_MS = 43_200_000;

/** The id has a time so far in the future that none of our clocks wrote it. */
export const isFromFuture = (id: string, nowMs: number): boolean =>
  // `~` sorts after every random part.
  id > newRunId(nowMs + TOLERATED_MS, "~");

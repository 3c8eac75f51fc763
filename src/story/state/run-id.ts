// The id of a run: when it began, and something that nobody else has. No package: hook scripts read it too.

export function newRunId(nowMs: number, random: string): string {
  return `${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, "")}-${random}`;
}

/** Twelve hours. Clocks are set right: what was written until then counts, and so does what comes after it. */
const TOLERATED_MS = 43_200_000;

/** Its id says a time that is far from coming: no clock of ours has written it. */
export const isFromFuture = (id: string, nowMs: number): boolean =>
  // Behind whatever began at that moment.
  id > newRunId(nowMs + TOLERATED_MS, "~");

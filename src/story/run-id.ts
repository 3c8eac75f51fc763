// The id of a run: when it began, and something that nobody else has. No package: hook scripts read it too.

export function newRunId(nowMs: number, random: string): string {
  return `${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, "")}-${random}`;
}

/** Its id says a time that has not come: no clock of ours has written it. */
export const isAhead = (id: string, nowMs: number): boolean =>
  id.slice(0, id.indexOf("-")) > newRunId(nowMs, "").slice(0, -1);

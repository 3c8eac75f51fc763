// The last event of a killed worker, which could not write it itself.

import type { Run, RunEvent } from "./run.ts";

/** Has the time of the last event. Undefined when the log has an end. */
export function killedEvent(
  events: readonly RunEvent[],
  { startedAt }: Pick<Run, "startedAt">,
): RunEvent | undefined {
  if (events.some(({ type }) => type === "run.ended" || type === "run.killed")) return undefined;
  return { at: events.at(-1)?.at ?? startedAt, type: "run.killed" };
}

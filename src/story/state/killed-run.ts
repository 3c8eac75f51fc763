// The end that a killed worker could not write into its log.

import type { Run, RunEvent } from "./run.ts";

/** At the last sign of life. Nothing when the log has an end. */
export function killedEvent(
  events: readonly RunEvent[],
  { startedAt }: Pick<Run, "startedAt">,
): RunEvent | undefined {
  if (events.some(({ type }) => type === "run.ended" || type === "run.killed")) return undefined;
  return { at: events.at(-1)?.at ?? startedAt, type: "run.killed" };
}

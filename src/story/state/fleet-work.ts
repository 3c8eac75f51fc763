/**
 * Why no machine takes a story that is in the queue: it has a question, failed its gate or reached a limit; a person
 * discarded it; its epic's budget is spent; a person stopped that run.
 */
export const PARK_REASONS = ["person", "discarded", "budget", "stopped"] as const;
export type ParkReason = (typeof PARK_REASONS)[number];

/** A story in a fleet: its place in the queue, and the machine that works on it. */
export interface FleetWork {
  readonly queue?: "waiting" | "queued" | "active" | "parked" | "done" | undefined;
  /** Of a parked one. */
  readonly parked?: ParkReason | undefined;
  readonly machine?: string | undefined;
  /** That machine has not reported for some time. */
  readonly isSilent: boolean;
  readonly attempts?: number | undefined;
}

export function fleetWorkText({
  queue,
  parked = "person",
  machine,
  isSilent,
  attempts = 1,
}: FleetWork): string {
  if (machine !== undefined && isSilent) return `${machine} is silent; another machine may take it`;
  if (machine !== undefined) return `running on ${machine}`;
  switch (queue) {
    case "waiting":
      return "waits for other stories";
    case "queued":
      return attempts > 1 ? "queued again" : "queued";
    case "active":
      return "claimed";
    case "parked":
      return PARKED[parked];
    case "done":
    case undefined:
      return "done";
  }
}

const PARKED: Readonly<Record<ParkReason, string>> = {
  person: "needs a person",
  discarded: "discarded",
  budget: "its epic's budget is spent",
  stopped: "its epic's run was stopped",
};

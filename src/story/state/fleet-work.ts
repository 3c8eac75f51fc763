/** A story in a fleet: its place in the queue, and the machine that works on it. */
export interface FleetWork {
  readonly queue?: "waiting" | "queued" | "active" | "parked" | "done" | undefined;
  readonly machine?: string | undefined;
  /** That machine has not reported for some time. */
  readonly isSilent: boolean;
  readonly attempts?: number | undefined;
}

export function fleetWorkText({ queue, machine, isSilent, attempts = 1 }: FleetWork): string {
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
      return "needs a person";
    case "done":
    case undefined:
      return "done";
  }
}

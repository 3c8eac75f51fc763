import type { LeaseState } from "../../src/store/leases/leases.ts";

const AT = "2026-11-18T10:00:00.000Z";

/** A lease that a worker on another machine has. */
export const leaseOf = (
  name: string,
  machine: string,
  life: LeaseState["life"] = "alive",
): LeaseState => ({
  name,
  fence: 3,
  life,
  record: {
    owner: `a worker on ${machine}`,
    machine,
    purpose: "work",
    pid: 1,
    startTime: "1",
    bootId: "1",
    place: "elsewhere",
    takenAt: AT,
    expiresAt: AT,
  },
});

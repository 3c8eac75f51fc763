// One process per machine takes stories for it. Its lease also tells `saga fleet leave` which process that is.

import type { LeaseRecord } from "../../store/leases/leases.ts";
import { startHeartbeat } from "../../store/leases/heartbeat.ts";
import type { Fleet } from "../fleet.ts";

const TTL_MS = 30_000;

export const membershipLease = (machine: string): string => `machine.${machine}`;

export type Started = { readonly release: () => Promise<void> } | { readonly heldBy: LeaseRecord };

export async function startMembership({
  leases,
  machine,
}: Pick<Fleet, "leases" | "machine">): Promise<Started> {
  const request = { owner: "saga fleet join", ttlMs: TTL_MS };
  const { lease, heldBy } = await leases.acquire(membershipLease(machine), request);
  if (!lease) return { heldBy };
  const renewing = startHeartbeat(TTL_MS / 4, lease.renew);
  return {
    async release() {
      clearInterval(renewing);
      await lease.release().catch(() => undefined);
    },
  };
}

// Waits for a lease that another process may hold for a while, then renews it until it is released.

import { setTimeout as wait } from "node:timers/promises";
import { startHeartbeat } from "./heartbeat.ts";
import type { Lease } from "../ownership/ownership.ts";
import type { LeaseRecord, LeaseRequest, Leases } from "./leases.ts";

export interface LeaseWait extends Pick<LeaseRequest, "owner" | "purpose"> {
  readonly maxWaitMs: number;
  readonly pollMs: number;
  readonly stop?: AbortSignal | undefined;
  readonly onWait?: ((holder: LeaseRecord) => void) | undefined;
}

export type LeaseWaitResult =
  | { readonly kind: "taken"; readonly lease: Lease<LeaseRecord> }
  | { readonly kind: "held"; readonly by: LeaseRecord }
  | { readonly kind: "stopped" };

/** Only processes on other machines judge the lease by its expiry. */
const TTL_MS = 90_000;

export async function waitForLease(
  leases: Pick<Leases, "acquire">,
  name: string,
  { owner, purpose, maxWaitMs, pollMs, stop, onWait }: LeaseWait,
): Promise<LeaseWaitResult> {
  const from = performance.now();
  for (;;) {
    if (stop?.aborted) return { kind: "stopped" };
    const { lease, heldBy } = await leases.acquire(name, { owner, purpose, ttlMs: TTL_MS });
    if (lease) return { kind: "taken", lease: renewed(lease) };
    if (performance.now() - from >= maxWaitMs) return { kind: "held", by: heldBy };
    onWait?.(heldBy);
    await wait(pollMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Long work must not look dead on other machines. */
function renewed(lease: Lease<LeaseRecord>): Lease<LeaseRecord> {
  const timer = startHeartbeat(TTL_MS / 4, lease.renew);
  timer.unref();
  return {
    ...lease,
    async release() {
      clearInterval(timer);
      await lease.release();
    },
  };
}

// Waits for a lease that another process may hold for a while, then renews it until it is released.

import { setTimeout as wait } from "node:timers/promises";
import type { LeaseRecord, LeaseRequest, Leases } from "./leases.ts";
import { LEASE_TTL_MS, renewedLease, type RenewedLease } from "./renew-lease.ts";

export interface LeaseWait extends Pick<LeaseRequest, "owner" | "purpose"> {
  readonly maxWaitMs: number;
  readonly pollMs: number;
  readonly stop?: AbortSignal | undefined;
  readonly onWait?: ((holder: LeaseRecord) => void) | undefined;
}

export type LeaseWaitResult =
  | { readonly kind: "taken"; readonly lease: RenewedLease }
  | { readonly kind: "held"; readonly by: LeaseRecord }
  | { readonly kind: "stopped" };

export async function waitForLease(
  leases: Pick<Leases, "acquire">,
  name: string,
  { owner, purpose, maxWaitMs, pollMs, stop, onWait }: LeaseWait,
): Promise<LeaseWaitResult> {
  const from = performance.now();
  for (;;) {
    if (stop?.aborted) return { kind: "stopped" };
    const { lease, heldBy } = await leases.acquire(name, { owner, purpose, ttlMs: LEASE_TTL_MS });
    if (lease) return { kind: "taken", lease: renewedLease(lease) };
    if (performance.now() - from >= maxWaitMs) return { kind: "held", by: heldBy };
    onWait?.(heldBy);
    await wait(pollMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

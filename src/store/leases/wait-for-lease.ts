// A lease that somebody else may have for a while: waits for its turn, and keeps it as long as needed.

import { setTimeout as wait } from "node:timers/promises";
import type { Lease, LeaseRecord } from "./lease.ts";
import { signsOfLife } from "./heartbeat.ts";
import type { Leases } from "../store.ts";

export interface LeaseWait {
  /** Who asks, in words a person understands. */
  readonly owner: string;
  readonly patienceMs: number;
  readonly pollMs: number;
  readonly stop?: AbortSignal | undefined;
  readonly onWait?: ((holder: LeaseRecord) => void) | undefined;
}

export type Waited =
  | { readonly kind: "taken"; readonly lease: Lease }
  | { readonly kind: "held"; readonly by: LeaseRecord }
  | { readonly kind: "stopped" };

/** Only those on other machines judge it by this. */
const TTL_MS = 90_000;

export async function waitForLease(
  leases: Pick<Leases, "acquire">,
  name: string,
  { owner, patienceMs, pollMs, stop, onWait }: LeaseWait,
): Promise<Waited> {
  const from = performance.now();
  for (;;) {
    if (stop?.aborted) return { kind: "stopped" };
    const { lease, heldBy } = await leases.acquire(name, { owner, ttlMs: TTL_MS });
    if (lease) return { kind: "taken", lease: renewed(lease) };
    if (performance.now() - from >= patienceMs) return { kind: "held", by: heldBy };
    onWait?.(heldBy);
    await wait(pollMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Work that takes long must not look dead to them. */
function renewed(lease: Lease): Lease {
  const timer = signsOfLife(TTL_MS / 4, lease.renew);
  timer.unref();
  return {
    ...lease,
    release() {
      clearInterval(timer);
      lease.release();
    },
  };
}

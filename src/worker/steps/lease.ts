// Step 1: the lease that makes this worker the only one on the story.

import { storyLease } from "../../store/leases/lease-names.ts";
import type { Acquired, Lease } from "../../store/leases/lease.ts";
import type { Store } from "../../store/store.ts";

/** Only for an owner on another machine: on this one the process itself shows if it is alive. */
const TTL_MS = 90_000;
const RENEW_EVERY_MS = 20_000;

export const leaseStory = (store: Store, storyId: string, owner: string): Promise<Acquired> =>
  store.leases.acquire(storyLease(storyId), { owner, ttlMs: TTL_MS });

interface RenewalEvents {
  /** Another process holds the lease now. */
  readonly onLost: () => void;
  /** It could not be renewed this time, for example on a full disk. It is not lost by that. */
  readonly onError: (error: unknown) => void;
}

/** Renews the lease regularly. Returns a function that ends the renewal. */
export function renewLease(
  lease: Pick<Lease, "renew">,
  { onLost, onError }: RenewalEvents,
  everyMs = RENEW_EVERY_MS,
): () => void {
  const timer = setInterval(() => {
    try {
      if (lease.renew()) return;
    } catch (error) {
      onError(error);
      return;
    }
    clearInterval(timer);
    onLost();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

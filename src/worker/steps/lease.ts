// Step 1: the lease that makes this worker the only one on the story.

import { storyLease } from "../../store/leases/lease-names.ts";
import type { LeaseRecord } from "../../store/leases/leases.ts";
import type { Acquired, Lease } from "../../store/ownership/ownership.ts";
import type { Store } from "../../store/store.ts";

/** Only for an owner on another machine: on this one the process itself shows if it is alive. */
const TTL_MS = 90_000;
const RENEW_EVERY_MS = 20_000;
/** A lease in a fleet expires sooner, and renews itself: this only finds out sooner that it is lost. */
const LOOK_EVERY_MS = 5_000;

export const leaseStory = (
  store: Store,
  storyId: string,
  owner: string,
): Promise<Acquired<LeaseRecord>> =>
  store.leases.acquire(storyLease(storyId), { owner, ttlMs: TTL_MS });

interface RenewalEvents {
  /** Another process holds the lease now. */
  readonly onLost: () => void;
  /** It could not be renewed this time, for example on a full disk. It is not lost by that. */
  readonly onError: (error: unknown) => void;
}

/** Renews the lease regularly. Returns a function that ends the renewal. */
export function renewLease(
  lease: Pick<Lease<LeaseRecord>, "renew"> & Partial<Pick<Lease<LeaseRecord>, "record">>,
  { onLost, onError }: RenewalEvents,
  everyMs = lease.record?.machine === undefined ? RENEW_EVERY_MS : LOOK_EVERY_MS,
): () => void {
  let isOver = false;
  let isRenewing = false;
  const end = (): void => {
    isOver = true;
    clearInterval(timer);
  };
  const renew = async (): Promise<void> => {
    if (isRenewing) return;
    isRenewing = true;
    try {
      const isMine = await lease.renew();
      // After its end the lease may have been released.
      if (isMine || isOver) return;
      end();
      onLost();
    } catch (error) {
      if (!isOver) onError(error);
    } finally {
      isRenewing = false;
    }
  };
  const timer = setInterval(() => void renew(), everyMs);
  timer.unref();
  return end;
}

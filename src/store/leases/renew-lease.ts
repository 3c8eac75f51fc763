// Renews a lease while its owner works, and tells the owner when it is lost: another process has it now.

import type { Lease } from "../ownership/ownership.ts";
import type { LeaseRecord } from "./leases.ts";

/** Only processes on other machines judge a lease by its expiry: on this one the process itself shows if it is alive. */
export const LEASE_TTL_MS = 90_000;
const RENEW_EVERY_MS = 20_000;
/** A lease in a fleet expires sooner, and renews itself: this only finds out sooner that it is lost. */
const LOOK_EVERY_MS = 5_000;

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

/** A lease that is renewed until it is released. */
export interface RenewedLease extends Lease<LeaseRecord> {
  /** Aborts when the lease is lost: the owner must stop. */
  readonly lost: AbortSignal;
}

/** A renewal that fails on the disk or the network is tried again: what the owner does fails on that too, and reports it. */
export function renewedLease(lease: Lease<LeaseRecord>, everyMs?: number): RenewedLease {
  const lost = new AbortController();
  const endRenewal = renewLease(
    lease,
    { onLost: () => lost.abort(), onError: () => undefined },
    everyMs,
  );
  return {
    ...lease,
    lost: lost.signal,
    async release() {
      endRenewal();
      await lease.release();
    },
  };
}

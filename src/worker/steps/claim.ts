// Step 1: the story is this worker's alone.

import { storyLease } from "../../store/leases/lease-names.ts";
import type { Acquired, Lease } from "../../store/leases/lease.ts";
import type { Store } from "../../store/store.ts";

/** Only an owner on another machine is judged by this: here the process itself says if it lives. */
const TTL_MS = 90_000;
const RENEW_EVERY_MS = 20_000;

export const claimStory = (store: Store, storyId: string, owner: string): Promise<Acquired> =>
  store.leases.acquire(storyLease(storyId), { owner, ttlMs: TTL_MS });

interface ClaimTrouble {
  /** Someone else has it now. */
  readonly onLost: () => void;
  /** It could not be renewed this time: a full disk, for example. That takes it from nobody. */
  readonly onFault: (error: unknown) => void;
}

/** Answers a function that ends the renewing. */
export function keepClaim(
  lease: Pick<Lease, "renew">,
  { onLost, onFault }: ClaimTrouble,
  everyMs = RENEW_EVERY_MS,
): () => void {
  const timer = setInterval(() => {
    try {
      if (lease.renew()) return;
    } catch (error) {
      onFault(error);
      return;
    }
    clearInterval(timer);
    onLost();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

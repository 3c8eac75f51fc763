// Step 1: the lease that makes this worker the only one on the story.

import { storyLease } from "../../store/leases/lease-names.ts";
import type { LeaseRecord } from "../../store/leases/leases.ts";
import { LEASE_TTL_MS } from "../../store/leases/renew-lease.ts";
import type { Acquired } from "../../store/ownership/ownership.ts";
import type { Store } from "../../store/store.ts";

export const leaseStory = (
  store: Store,
  storyId: string,
  owner: string,
): Promise<Acquired<LeaseRecord>> =>
  store.leases.acquire(storyLease(storyId), { owner, ttlMs: LEASE_TTL_MS });

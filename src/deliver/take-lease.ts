// Takes the lease of a story or epic, so that no worker starts while it lands.

import { storyInUse } from "../store/leases/in-use.ts";
import type { RenewedLease } from "../store/leases/renew-lease.ts";
import { waitForLease } from "../store/leases/wait-for-lease.ts";
import type { DeliverContext } from "./story-work.ts";

/** Other commands hold it for a moment. */
const MAX_WAIT_MS = 5_000;
const POLL_MS = 100;

export async function takeLease(
  { store, stop }: Pick<DeliverContext, "store" | "stop">,
  name: string,
  id: string,
): Promise<RenewedLease> {
  const waited = await waitForLease(store.leases, name, {
    owner: "saga merge",
    purpose: "merge",
    maxWaitMs: MAX_WAIT_MS,
    pollMs: POLL_MS,
    stop,
  });
  if (waited.kind === "taken") return waited.lease;
  throw storyInUse(id, waited.kind === "held" ? waited.by.owner : undefined);
}

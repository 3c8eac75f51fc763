// One merge at a time: takes the lease of the story or epic, then the lease that all merges share.

import { SagaError } from "../errors.ts";
import { endJudging } from "../gate/judging.ts";
import { MERGE_LEASE } from "../store/leases/lease-names.ts";
import type { Lease } from "../store/ownership/ownership.ts";
import { waitForLease } from "../store/leases/wait-for-lease.ts";
import type { DeliverContext } from "./story-work.ts";

const POLL_MS = 500;
/** A merge runs checks, so the one before may take long. */
const PATIENCE_MS = 2 * 3600_000;

/** `judged`: whose checks a killed command may have left running. */
export async function withMergeLeases<T>(
  context: DeliverContext,
  { lease, judged }: { readonly lease: string; readonly judged: string },
  act: () => Promise<T>,
): Promise<T | { readonly kind: "stopped" }> {
  const own = await acquire(context, lease, 0);
  if (own === undefined) return { kind: "stopped" };
  try {
    await endJudging(context.store.project, judged);
    const turn = await acquire(context, MERGE_LEASE, PATIENCE_MS);
    if (turn === undefined) return { kind: "stopped" };
    try {
      return await act();
    } finally {
      await turn.release();
    }
  } finally {
    await own.release();
  }
}

/** Waits for the lease up to `patienceMs`. Undefined if it is stopped meanwhile. */
async function acquire(
  { store, onStep, stop }: DeliverContext,
  name: string,
  patienceMs: number,
): Promise<Lease | undefined> {
  const waited = await waitForLease(store.leases, name, {
    owner: "saga merge",
    purpose: "merge",
    patienceMs,
    pollMs: POLL_MS,
    stop,
    onWait: ({ owner }) => onStep?.(`waiting for ${owner}`),
  });
  if (waited.kind === "held") throw inUse(name, waited.by.owner);
  return waited.kind === "taken" ? waited.lease : undefined;
}

const inUse = (name: string, owner: string): SagaError =>
  new SagaError("in-use", `The ${name.replace(".", " ")} is in use by ${owner}.`, {
    hint: "Wait for it to end, or stop it. `saga status` shows what is running.",
  });

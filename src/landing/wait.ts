// Puts an entry in its lane and waits for the outcome. Of all processes that wait, the one that gets the lane's lease
// lands for everyone. When it dies, another one continues: no daemon is needed.

import { laneLease } from "../store/leases/lease-names.ts";
import { waitForLease } from "../store/leases/wait-for-lease.ts";
import type { Entry, Lane } from "../story/landing/entry.ts";
import { landNextBatch } from "./land-lane.ts";
import { laneId } from "./lane-id.ts";
import type { LaneContext } from "./landing.ts";

export type WaitResult =
  | { readonly kind: "outcome"; readonly value: unknown }
  /** The caller was stopped; the entry is out of the lane again. */
  | { readonly kind: "stopped" };

/** A dead lander changes no file, so the lane is also looked at in this interval. */
const POLL_MS = 500;

export async function landInLane(
  context: LaneContext,
  wanted: Omit<Entry, "id" | "enqueuedAt">,
): Promise<WaitResult> {
  const { stop } = context;
  const { queue } = context.store;
  const entry = await queue.enqueue(wanted);
  const { lane } = entry;
  let shown: string | undefined;
  for (;;) {
    const outcome = await queue.outcome(entry);
    if (outcome) return { kind: "outcome", value: outcome.value };
    if (stop?.aborted) {
      await queue.settle(entry, { kind: "stopped" });
      return { kind: "stopped" };
    }
    const didLand = await landIfFree(context, lane, (owner) => show(`waiting for ${owner}`)).catch(
      (error: unknown) => {
        if (stop?.aborted) return false;
        throw error;
      },
    );
    if (!didLand && (await queue.outcome(entry)) === undefined) {
      const heldBy = (await queue.list(lane)).find(({ id }) => id === entry.id)?.heldBy;
      if (heldBy !== undefined) show(`held by ${heldBy}`);
      await queue.changed(lane, POLL_MS, stop);
    }
  }

  function show(about: string): void {
    if (about !== shown) context.onStep?.(about);
    shown = about;
  }
}

/** Lands what is ready in a lane, and returns when nothing more is, or when another process lands there. */
export async function landWaiting(context: LaneContext, lane: Lane): Promise<void> {
  while (!context.stop?.aborted && (await landIfFree(context, lane, () => undefined)));
}

/** False if another process lands, or if no entry is ready. */
async function landIfFree(
  context: LaneContext,
  lane: Lane,
  onWait: (owner: string) => void,
): Promise<boolean> {
  const waited = await waitForLease(context.store.leases, laneLease(laneId(lane)), {
    owner: "saga merge",
    purpose: "merge",
    patienceMs: 0,
    pollMs: POLL_MS,
    stop: context.stop,
  });
  if (waited.kind === "held") onWait(waited.by.owner);
  if (waited.kind !== "taken") return false;
  try {
    return await landNextBatch(context, lane);
  } finally {
    await waited.lease.release();
  }
}

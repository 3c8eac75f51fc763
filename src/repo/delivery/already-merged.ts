// Entries that are in their target already: brought there by a call that was killed afterwards, or by a person.

import { SagaError } from "../../errors.ts";
import type { Git } from "../../machine/programs/git.ts";
import type { LandEntry, NamedEntry, ReadEntry } from "../compose/compose.ts";
import {
  doneRef,
  findArrived,
  finishDelivery,
  pendingRef,
  readDeliveries,
  recordArrival,
  type Delivery,
  type DeliveryRecord,
} from "../records/delivery-record.ts";
import { commitOf } from "../refs.ts";
import type { Repository } from "../repository.ts";
import { clearRefLocks } from "../stale-locks.ts";
import { recordEpicTip } from "./epic-branch.ts";
import { clearScratch } from "./scratch.ts";

/** The target has it now; `was` is the commit it was put on. */
export interface MergedEntry {
  readonly kind: "merged";
  readonly commit: string;
  readonly was: string;
}

export interface Arrivals<E extends LandEntry> {
  readonly merged: ReadonlyMap<E, MergedEntry>;
  /** The entries that are left to land. */
  readonly open: readonly ReadEntry<E>[];
}

/** Finishes the deliveries that a killed call had brought into the target. */
export async function settleArrived<E extends LandEntry>(
  git: Git,
  entries: readonly NamedEntry<E>[],
  onto: string,
): Promise<Arrivals<E>> {
  const merged = new Map<E, MergedEntry>();
  const open: ReadEntry<E>[] = [];
  for (const named of entries) {
    const one = await readEntry(git, named, onto);
    if (one.arrived?.tip === one.tip) merged.set(one.entry, await settle(git, one.arrived));
    else open.push(one);
  }
  return { merged, open };
}

/** Changes nothing. */
export async function readEntry<E extends LandEntry>(
  git: Git,
  { entry, storyId }: NamedEntry<E>,
  onto: string,
): Promise<ReadEntry<E>> {
  const deliveries = await readDeliveries(git, storyId);
  // The branch of a delivered story may be gone; its record has the tip.
  const tip =
    entry.tip ??
    (await commitOf(git, `refs/heads/${entry.branch}`)) ??
    (deliveries.done ?? deliveries.pending)?.tip;
  if (tip === undefined) throw noBranch(entry.branch);
  const arrived = await findArrived(git, deliveries, { tip, target: onto });
  return { entry, storyId, tip, arrived };
}

const noBranch = (branch: string): SagaError =>
  new SagaError("not-found", `The branch ${branch} does not exist.`, {
    hint: "`saga run <story>` creates a story's branch.",
  });

export async function settle(git: Git, delivery: DeliveryRecord): Promise<MergedEntry> {
  await finishDelivery(git, delivery);
  await recordEpicTip(git, delivery.target, delivery.commit);
  return { kind: "merged", commit: delivery.commit, was: delivery.onto };
}

/**
 * For a branch that its target is known to contain: records that, and removes what a killed call left. Returns the
 * commit that brought it there, as far as that is known.
 */
export async function settleMerged(
  repository: Repository,
  delivery: Omit<Delivery, "commit">,
): Promise<string> {
  const { git } = repository;
  const { storyId, tip, onto } = delivery;
  await clearLeftovers(repository, storyId, [storyId]);
  const arrived = await findArrived(git, await readDeliveries(git, storyId), { tip, target: onto });
  if (arrived?.tip !== tip) {
    await recordArrival(git, { ...delivery, commit: onto });
    return onto;
  }
  await settle(git, arrived);
  return arrived.commit;
}

/** Removes what a killed call left. */
export async function clearLeftovers(
  repository: Repository,
  scratch: string,
  storyIds: readonly string[],
): Promise<void> {
  await clearScratch(repository, scratch);
  const refs = storyIds.flatMap((id) => [pendingRef(id), doneRef(id)]);
  await clearRefLocks(repository.commonDir, refs);
}

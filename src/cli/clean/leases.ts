// Releases leases of dead processes, except those that the next process still needs.

import { workerState } from "../../store/leases/lease-purpose.ts";
import { isRunning, readDaemons } from "../../tasks/daemon-files.ts";
import type { LeaseState } from "../../store/leases/leases.ts";
import { isSlotLease, storyOfLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";
import { isPoolName } from "../../story/definition/names.ts";
import { CLEANING } from "./with-lease.ts";

export async function cleanLeases(store: Store, isDryRun: boolean): Promise<string[]> {
  const hasPool = readDaemons(store.project).some(isRunning);
  const over = (await store.leases.list()).filter((lease) => isOver(lease, hasPool));
  for (const { name } of isDryRun ? [] : over) {
    const { lease } = await store.leases.acquire(name, CLEANING);
    await lease?.release();
  }
  return over.map(({ name }) => `lease ${name}`);
}

/** A dead worker's lease tells the next worker to recover. A running pool handles its own leases. */
export function isOver(lease: LeaseState, hasPool: boolean): boolean {
  if (lease.life !== "dead") return false;
  const storyId = storyOfLease(lease.name);
  if (isSlotLease(lease.name) || isPoolName(storyId ?? "")) return !hasPool;
  return storyId === undefined || workerState(lease) === "none";
}

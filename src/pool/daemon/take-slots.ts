// Acquires the names of a daemon's workers: the lowest numbers that no other daemon of the project uses.

import { SagaError } from "../../errors.ts";
import type { Lease } from "../../store/ownership/ownership.ts";
import { slotLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";
import type { DaemonContext, DaemonRequest } from "./request.ts";
import { newSlot, type Slot } from "./worker-slot.ts";

const SLOT_TTL_MS = 90_000;
const MAX_SLOTS = 256;

export async function takeSlots(
  { workers, instance }: DaemonRequest,
  { store, startWorker, uptimeMs }: DaemonContext,
  folder: string,
): Promise<readonly Slot[]> {
  const slots: Slot[] = [];
  for (let number = 1; slots.length < workers && number <= MAX_SLOTS; number++) {
    const lease = await acquire(store, number, instance);
    if (lease) slots.push(newSlot(folder, number, lease, { start: startWorker, uptimeMs }));
  }
  if (slots.length > 0) return slots;
  throw new SagaError("in-use", `All ${MAX_SLOTS} worker names are in use.`, {
    hint: "`saga auto status` shows the pools that use them.",
  });
}

async function acquire(store: Store, number: number, instance: string): Promise<Lease | undefined> {
  const request = { owner: `saga auto ${instance}`, ttlMs: SLOT_TTL_MS };
  return (await store.leases.acquire(slotLease(number), request)).lease;
}

import { PERSON } from "../../store/leases/lease-owners.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";

/** Each step of cleaning is over long before. */
export const CLAIM_MS = 60_000;

/** Nobody begins on it in the meantime. A dead worker's lease stays: the next one is told by it. */
export async function whileFree<T>(
  { store, storyId, isDryRun }: { store: Store; storyId: string; isDryRun: boolean },
  act: (isFree: boolean) => Promise<T>,
): Promise<T> {
  const name = storyLease(storyId);
  const isTaken = (await store.leases.read(name)) !== undefined;
  if (isTaken || isDryRun) return act(!isTaken);
  const { lease } = await store.leases.acquire(name, { owner: PERSON, ttlMs: CLAIM_MS });
  try {
    return await act(lease !== undefined);
  } finally {
    lease?.release();
  }
}

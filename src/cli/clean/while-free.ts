import { storyLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";

/** Each step of cleaning takes far less time. */
export const CLEANING = { owner: "saga", purpose: "command", ttlMs: 60_000 } as const;

/** Nobody begins on it in the meantime. A dead worker's lease stays: the next one is told by it. */
export async function whileFree<T>(
  { store, storyId, isDryRun }: { store: Store; storyId: string; isDryRun: boolean },
  act: (isFree: boolean) => Promise<T>,
): Promise<T> {
  const name = storyLease(storyId);
  const isTaken = (await store.leases.read(name)) !== undefined;
  if (isTaken || isDryRun) return act(!isTaken);
  const { lease } = await store.leases.acquire(name, CLEANING);
  try {
    return await act(lease !== undefined);
  } finally {
    lease?.release();
  }
}

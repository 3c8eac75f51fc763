import { storyLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";

/** Longer than any step of cleaning. */
export const CLEANING = { owner: "saga", purpose: "command", ttlMs: 60_000 } as const;

/** Holds the story's lease meanwhile. A dead worker's lease is left alone: the next worker needs it to recover. */
export async function withFreeLease<T>(
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
    await lease?.release();
  }
}

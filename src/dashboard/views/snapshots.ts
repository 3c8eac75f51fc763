import { findRepository } from "../../repo/repository.ts";
import { listSnapshots } from "../../repo/rescue/restore.ts";
import type { SnapshotCard } from "../protocol/details.ts";
import type { GitContext } from "./story-range.ts";

/** Newest first. Git stores seconds: within the same second, the higher number is newer. */
export async function readSnapshots(
  { store, env }: GitContext,
  storyId: string,
): Promise<SnapshotCard[]> {
  const { git } = await findRepository(store.project, env);
  const snapshots = await listSnapshots(git, storyId);
  return snapshots
    .toSorted((one, other) => other.savedAtMs - one.savedAtMs || other.number - one.number)
    .map(({ number, savedAtMs, why, files }) => ({
      number,
      at: new Date(savedAtMs).toISOString(),
      why,
      files,
    }));
}

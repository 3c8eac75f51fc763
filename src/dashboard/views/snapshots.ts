// The snapshots of one story, for its page.

import { findRepository } from "../../repo/repository.ts";
import { listSnapshots } from "../../repo/rescue/restore.ts";
import type { SnapshotCard } from "../protocol/details.ts";
import type { GitContext } from "./story-range.ts";

/** Newest first. Git counts seconds: of two in the same one, the higher number is the newer. */
export async function readSnapshots(
  { store, env }: GitContext,
  storyId: string,
): Promise<SnapshotCard[]> {
  const { git } = await findRepository(store.project, env);
  const keeps = await listSnapshots(git, storyId);
  return keeps
    .toSorted((one, other) => other.keptAtMs - one.keptAtMs || other.number - one.number)
    .map(({ number, keptAtMs, why, files }) => ({
      number,
      at: new Date(keptAtMs).toISOString(),
      why,
      files,
    }));
}

// A snapshot of a commit, so that it stays reachable when its branch moves.

import type { Git } from "../../machine/programs/git.ts";
import { readSnapshots, saveSnapshot, type Snapshot } from "./snapshot.ts";

/** Undefined when a snapshot already has this commit. */
export async function snapshotCommit(
  git: Git,
  storyId: string,
  { tip, why }: { readonly tip: string; readonly why: string },
): Promise<Snapshot | undefined> {
  const tree = await git.ask(["rev-parse", "--verify", `${tip}^{tree}`]);
  const snapshots = await readSnapshots(git, storyId);
  if (snapshots.some((one) => one.parents[0] === tip && one.tree === tree)) return undefined;
  return saveSnapshot(git, { storyId, why, head: tip, tree, index: undefined });
}

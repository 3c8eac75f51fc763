// A commit of a story's as it is, as a snapshot, so that it stays when its branch moves elsewhere.

import type { Git } from "../../machine/programs/git.ts";
import { readSnapshots, saveSnapshot, type Snapshot } from "./snapshot.ts";

/** Nothing when there is one of it already. */
export async function snapshotCommit(
  git: Git,
  storyId: string,
  { tip, why }: { readonly tip: string; readonly why: string },
): Promise<Snapshot | undefined> {
  const tree = await git.ask(["rev-parse", "--verify", `${tip}^{tree}`]);
  const keeps = await readSnapshots(git, storyId);
  if (keeps.some((keep) => keep.parents[0] === tip && keep.tree === tree)) return undefined;
  return saveSnapshot(git, { storyId, why, head: tip, tree, index: undefined });
}

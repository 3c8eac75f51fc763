// A commit of a story's as it is, as a snapshot, so that it stays when its branch moves elsewhere.

import type { Git } from "../../machine/programs/git.ts";
import { readKeeps, saveKeep, type Keep } from "./snapshot.ts";

/** Nothing when there is one of it already. */
export async function keepTip(
  git: Git,
  storyId: string,
  { tip, why }: { readonly tip: string; readonly why: string },
): Promise<Keep | undefined> {
  const tree = await git.ask(["rev-parse", "--verify", `${tip}^{tree}`]);
  const keeps = await readKeeps(git, storyId);
  if (keeps.some((keep) => keep.parents[0] === tip && keep.tree === tree)) return undefined;
  return saveKeep(git, { storyId, why, head: tip, tree, index: undefined });
}

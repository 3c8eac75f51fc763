// Whether a story landed by another machine: this clone has no record of it.

import { mergeTips } from "../merge-tips.ts";
import { commitOf, treeOf } from "../refs.ts";
import { fetchRefs, type Base, type Repository } from "../repository.ts";
import { storyBranch } from "../../story/definition/names.ts";

export interface LandedElsewhere {
  /** The last commit of its branch, if the remote still has that. */
  readonly tip: string | undefined;
  readonly target: string;
  /** A commit of the target that has it. */
  readonly commit: string;
}

interface StoryAtRemote {
  readonly storyId: string;
  /** Whether the target's files show it as completed. */
  readonly isCompleted: boolean;
  /** The commit of its branch at the remote. */
  readonly branch: string | undefined;
}

/** Undefined unless the target has everything that is on the branch: to merge it would change nothing. */
export async function landedElsewhere(
  { git, remote }: Repository,
  { branch: target, commit }: Pick<Base, "branch" | "commit">,
  { storyId, isCompleted, branch: tip }: StoryAtRemote,
): Promise<LandedElsewhere | undefined> {
  if (!isCompleted || remote === undefined) return undefined;
  if (tip === undefined) return { tip, target, commit };
  const ref = storyBranch(storyId);
  const refspec = `+refs/heads/${ref}:refs/remotes/${remote.name}/${ref}`;
  await fetchRefs(git, remote.name, [refspec]);
  // It may have moved since it was read.
  if ((await commitOf(git, tip)) === undefined) return undefined;
  const merged = await mergeTips(git, commit, tip);
  const isThere = merged.kind === "clean" && merged.tree === (await treeOf(git, commit));
  return isThere ? { tip, target, commit } : undefined;
}

// Brings a story's branch onto its target, in the story's worktree: the target is merged into it, so that its agent
// sees what others brought.

import { gitError, type Git } from "../../machine/programs/git.ts";
import { storyBranch } from "../../story/definition/names.ts";
import { isAncestor } from "../refs.ts";
import { snapshotCommit } from "../snapshots/snapshot-commit.ts";
import { steadily } from "../deterministic-git.ts";
import { lastCommittedAt, writeCommit } from "../write-commit.ts";
import { mergeStory } from "../compose/merge-story.ts";

export interface MergeTargetRequest {
  /** At the story's worktree, with everything committed. */
  readonly git: Git;
  readonly storyId: string;
  /** The target's name and commit. */
  readonly target: string;
  readonly onto: string;
}

/** Whether they merge without conflict. */
export async function canBring(request: MergeTargetRequest): Promise<boolean> {
  const tip = await tipOf(request.git);
  return (
    (await isAncestor(request.git, request.onto, tip)) || (await merge(request, tip)) !== undefined
  );
}

/** False if they conflict; nothing is changed then. Repeated, it changes nothing. */
export async function mergeTargetInto(request: MergeTargetRequest): Promise<boolean> {
  const { git, storyId, target, onto } = request;
  const tip = await tipOf(git);
  if (await isAncestor(git, onto, tip)) return true;
  const tree = await merge(request, tip);
  if (tree === undefined) return false;
  await snapshotCommit(git, storyId, { tip, why: `before ${target} was merged into it` });
  const parents = [tip, onto];
  const commit = await writeCommit(git, {
    tree,
    parents,
    message: `Merge ${target} into ${storyBranch(storyId)}\n\nSaga-Story: ${storyId}\n`,
    committedAt: await lastCommittedAt(git, parents),
  });
  // Git refuses if that would overwrite anything that is not committed.
  const moved = await steadily(git).attempt(["merge", "--quiet", "--ff-only", "--no-stat", commit]);
  if (!moved.isOk)
    throw gitError(`${target} could not be merged in ${git.folder}: ${moved.stderr}`);
  return true;
}

const tipOf = (git: Git): Promise<string> => git.ask(["rev-parse", "--verify", "HEAD"]);

/** The tree; undefined if they conflict. */
async function merge(
  { git, storyId, onto }: MergeTargetRequest,
  tip: string,
): Promise<string | undefined> {
  const tips = { ours: onto, theirs: tip, storyIds: [storyId] };
  const { merged } = await mergeStory(steadily(git), tips);
  return merged.kind === "conflict" ? undefined : merged.tree;
}

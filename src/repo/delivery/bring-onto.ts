// Brings a story's branch onto its target, in the story's worktree: the target is merged into it, so that its agent
// sees what others brought.

import { gitError, type Git } from "../../machine/programs/git.ts";
import { storyBranch } from "../../story/definition/names.ts";
import { isAncestor } from "../refs.ts";
import { snapshotCommit } from "../snapshots/snapshot-commit.ts";
import { steadily } from "../deterministic-git.ts";
import { lastCommittedAt, writeCommit } from "../write-commit.ts";
import { mergeStory } from "../compose/merge-story.ts";

export interface BringRequest {
  /** At the story's worktree, with everything committed. */
  readonly git: Git;
  readonly storyId: string;
  /** The target's name and commit. */
  readonly target: string;
  readonly onto: string;
}

/** False if they conflict; nothing is changed then. Repeated, it changes nothing. */
export async function bringOnto({ git, storyId, target, onto }: BringRequest): Promise<boolean> {
  const tip = await git.ask(["rev-parse", "--verify", "HEAD"]);
  if (await isAncestor(git, onto, tip)) return true;
  const quiet = steadily(git);
  const { merged } = await mergeStory(quiet, { ours: onto, theirs: tip, storyIds: [storyId] });
  if (merged.kind === "conflict") return false;
  await snapshotCommit(git, storyId, { tip, why: `before ${target} was merged into it` });
  const parents = [tip, onto];
  const commit = await writeCommit(git, {
    tree: merged.tree,
    parents,
    message: `Merge ${target} into ${storyBranch(storyId)}\n\nSaga-Story: ${storyId}\n`,
    committedAt: await lastCommittedAt(git, parents),
  });
  // Git refuses if that would overwrite anything that is not committed.
  const moved = await quiet.attempt(["merge", "--quiet", "--ff-only", "--no-stat", commit]);
  if (!moved.isOk)
    throw gitError(`${target} could not be merged in ${git.folder}: ${moved.stderr}`);
  return true;
}

// Combines a story's branch and its target into one commit.
//
// The result is always the clean merge of the two, so that a conflict does not depend on the style. A rebase is
// used if it gives the same tree: the story's commits are replayed on the target. Otherwise (the branch has
// merges, one commit conflicts on its own, the replayed sum differs) it is one merge commit, so that conflicts
// already resolved on the branch need not be resolved again. It is also a merge commit if the story builds on
// commits of others that the target lacks: replayed, they would appear twice once the originals arrive.

import type { Git } from "../../machine/programs/git.ts";
import { epicOfBranch } from "../../story/definition/names.ts";
import { amendTree, type Amendment } from "../commits/amend-tree.ts";
import type { ConflictedFile } from "../merge-tips.ts";
import { isAncestor } from "../refs.ts";
import { mergeStory } from "./merge-story.ts";
import { replay } from "./replay.ts";
import { lastCommittedAt, writeCommit, type NewCommit } from "../write-commit.ts";

/** `rebase` replays the story's commits on the target. `merge` leaves them and adds a merge commit. */
export type MergeStyle = "rebase" | "merge";

export interface ArrivedCommit {
  readonly tip: string;
  readonly commit: string;
}

export interface CombineRequest {
  readonly storyId: string;
  /** The stories of an epic's branch. */
  readonly storyIds?: readonly string[] | undefined;
  readonly branch: string;
  /** The story's last commit. */
  readonly tip: string;
  readonly target: { readonly branch: string; readonly commit: string };
  /** An earlier commit of the story, and the commit of the target that contains its work. */
  readonly arrived: ArrivedCommit | undefined;
  readonly style: MergeStyle;
  /** Where the story's own commits begin, if known. */
  readonly start?: string | undefined;
  /** Changes to Saga's own files that are part of the delivery. */
  readonly amendment?: Amendment | undefined;
}

export type Combined =
  /** The target already has all of it, for example merged or squashed by hand. */
  | { readonly kind: "arrived" }
  | {
      readonly kind: "ready";
      readonly commit: string;
      /** The same commit without the amendment, for the gate. */
      readonly work: string;
    }
  | {
      readonly kind: "conflict";
      /** The target, joined with work of the story that already arrived in it (`withArrived`). */
      readonly ours: string;
      readonly files: readonly ConflictedFile[];
    };

export async function combine(git: Git, combining: CombineRequest): Promise<Combined> {
  const { tip, target, arrived, style, start } = combining;
  const storyIds = combining.storyIds ?? [combining.storyId];
  if (await isAncestor(git, tip, target.commit)) return { kind: "arrived" };
  const isAllItsOwn = start === undefined || (await isAncestor(git, start, target.commit));
  const isStraight = style === "rebase" && isAllItsOwn;
  if (await isAncestor(git, target.commit, tip)) {
    const straight = isStraight
      ? await replay(git, { onto: target.commit, since: target.commit, tip, storyIds })
      : undefined;
    const tree = await treeOf(git, tip);
    const same = straight?.tree === tree ? straight : undefined;
    const commit = same?.isFolded ? same.commit : tip;
    return amend(git, combining, commit, same?.last ?? (await mergeParts(git, combining, tree)));
  }
  const ours = await withArrived(git, target.commit, arrived);
  const { merged } = await mergeStory(git, { ours, theirs: tip, storyIds });
  if (merged.kind === "conflict") return { kind: "conflict", ours, files: merged.files };
  if (merged.tree === (await treeOf(git, target.commit))) return { kind: "arrived" };
  if (isStraight) {
    const straight = await replay(git, { onto: target.commit, since: ours, tip, storyIds });
    if (straight?.last && straight.tree === merged.tree) {
      return amend(git, combining, straight.commit, straight.last);
    }
  }
  const parts = await mergeParts(git, combining, merged.tree);
  return amend(git, combining, await writeCommit(git, parts), parts);
}

/** Applies the amendment by writing the same commit with another tree. */
async function amend(
  git: Git,
  { amendment }: CombineRequest,
  work: string,
  parts: NewCommit,
): Promise<Combined> {
  const tree = amendment ? await amendTree(git, parts.tree, amendment) : parts.tree;
  const commit = tree === parts.tree ? work : await writeCommit(git, { ...parts, tree });
  return { kind: "ready", commit, work };
}

/**
 * The target as if it had merged the story's work that arrived under other commits. A merge with it then only
 * compares and brings in what the story has done since.
 */
export async function withArrived(
  git: Git,
  target: string,
  arrived: ArrivedCommit | undefined,
): Promise<string> {
  if (arrived === undefined || (await isAncestor(git, arrived.tip, target))) return target;
  const parents = [target, arrived.tip];
  return writeCommit(git, {
    tree: `${target}^{tree}`,
    parents,
    message: "What has arrived of the story is part of this\n",
    committedAt: await lastCommittedAt(git, parents),
  });
}

const treeOf = (git: Git, commit: string): Promise<string> =>
  git.ask(["rev-parse", "--verify", `${commit}^{tree}`]);

async function mergeParts(
  git: Git,
  { storyId, branch, tip, target }: CombineRequest,
  tree: string,
): Promise<NewCommit> {
  const parents = [target.commit, tip];
  const epicId = epicOfBranch(branch);
  const trailer = epicId === undefined ? `Saga-Story: ${storyId}` : `Saga-Epic: ${epicId}`;
  return {
    tree,
    parents,
    message: `Merge ${branch} into ${target.branch}\n\n${trailer}\n`,
    committedAt: await lastCommittedAt(git, parents),
  };
}

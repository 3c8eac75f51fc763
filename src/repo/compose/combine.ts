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
import { isAncestor, sharedCommit, treeOf } from "../refs.ts";
import { mergeStory } from "./merge-story.ts";
import { replay } from "./replay.ts";
import { squash } from "./squash.ts";
import { lastCommittedAt, writeCommit, type NewCommit } from "../write-commit.ts";

/**
 * `rebase` replays the story's commits on the target. `merge` leaves them, and adds a merge commit if the target has
 * moved. `merge-commit` always adds one. `squash` makes one commit of them.
 */
export type MergeStyle = "rebase" | "merge" | "merge-commit" | "squash";

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
  /** What people call it, for the message of its one commit. */
  readonly title?: string | undefined;
  /** Its commits must arrive as they are, also Saga's own. */
  readonly keepsCommits?: boolean | undefined;
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
  const { tip, target, arrived } = combining;
  const storyIds = storyIdsOf(combining);
  if (await isAncestor(git, tip, target.commit)) return { kind: "arrived" };
  if (await isAncestor(git, target.commit, tip)) {
    const tree = await treeOf(git, tip);
    return finish(git, combining, { tree, since: target.commit, isMoved: false });
  }
  const ours = await withArrived(git, target.commit, arrived);
  const { merged } = await mergeStory(git, { ours, theirs: tip, storyIds });
  if (merged.kind === "conflict") return { kind: "conflict", ours, files: merged.files };
  if (merged.tree === (await treeOf(git, target.commit))) return { kind: "arrived" };
  return finish(git, combining, { tree: merged.tree, since: ours, isMoved: true });
}

const storyIdsOf = ({ storyIds, storyId }: CombineRequest): readonly string[] =>
  storyIds ?? [storyId];

interface Result {
  readonly tree: string;
  /** Commits up to here are not the story's. */
  readonly since: string;
  readonly isMoved: boolean;
}

/** Writes the commits of the story's style that give this tree. */
async function finish(git: Git, combining: CombineRequest, result: Result): Promise<Combined> {
  const { tip, target, style, start } = combining;
  const { tree, since, isMoved } = result;
  const isAllItsOwn = start === undefined || (await isAncestor(git, start, target.commit));
  if (style === "squash" && isAllItsOwn) {
    const squashed = await squash(git, { ...combining, onto: target.commit, since, tree });
    return amend(git, combining, await writeCommit(git, squashed), squashed);
  }
  if (style === "rebase" && isAllItsOwn) {
    const storyIds = storyIdsOf(combining);
    const straight = await replay(git, { onto: target.commit, since, tip, storyIds });
    if (straight?.last && straight.tree === tree) {
      const isChanged = isMoved || straight.isFolded;
      return amend(git, combining, isChanged ? straight.commit : tip, straight.last);
    }
  }
  if (!isMoved && style !== "merge-commit") {
    return amend(git, combining, tip, await mergeParts(git, combining, { tree, second: tip }));
  }
  const second = style === "merge-commit" ? await foldedTip(git, combining, since) : tip;
  const parts = await mergeParts(git, combining, { tree, second });
  return amend(git, combining, await writeCommit(git, parts), parts);
}

/** The story's commits where they are, without Saga's own. */
async function foldedTip(git: Git, combining: CombineRequest, since: string): Promise<string> {
  const { tip, keepsCommits = false } = combining;
  if (keepsCommits) return tip;
  const onto = await sharedCommit(git, since, tip);
  if (onto === undefined) return tip;
  const folded = await replay(git, { onto, since, tip, storyIds: storyIdsOf(combining) });
  const isSame = folded?.last !== undefined && folded.tree === (await treeOf(git, tip));
  return isSame && folded.isFolded ? folded.commit : tip;
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
    message: "What the target already has of the story\n",
    committedAt: await lastCommittedAt(git, parents),
  });
}

async function mergeParts(
  git: Git,
  { storyId, branch, target, title }: CombineRequest,
  { tree, second }: { readonly tree: string; readonly second: string },
): Promise<NewCommit> {
  const parents = [target.commit, second];
  const epicId = epicOfBranch(branch);
  const trailer = epicId === undefined ? `Saga-Story: ${storyId}` : `Saga-Epic: ${epicId}`;
  const about = title === undefined ? "" : `${title}\n\n`;
  return {
    tree,
    parents,
    message: `Merge ${branch} into ${target.branch}\n\n${about}${trailer}\n`,
    committedAt: await lastCommittedAt(git, parents),
  };
}

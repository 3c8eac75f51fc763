// Where a story's own work begins, and the branch that it goes into: one answer for the worker, the gate, merges,
// `saga recover`, `saga show` and the page. Fetches and changes nothing.

import type { Context } from "../context.ts";
import { SagaError } from "../errors.ts";
import type { Forge } from "../machine/forge/forge.ts";
import type { Git } from "../machine/programs/git.ts";
import type { Epic } from "../story/definition/epic.ts";
import { epicBranch, storyBranch } from "../story/definition/names.ts";
import { isDeliveredAsOne, type Settings } from "../story/settings/settings.ts";
import { steadily } from "./deterministic-git.ts";
import { mergeTips } from "./merge-tips.ts";
import { canPush } from "./open-forge.ts";
import { commitOf, isAncestor, isRecentAncestor, sharedCommit } from "./refs.ts";
import { findBase, type Base, type Repository } from "./repository.ts";
import { lastCommittedAt, writeCommit } from "./write-commit.ts";

interface TargetQuery extends Pick<Context, "settings" | "forge"> {
  /** Undefined: of a new story. */
  readonly storyId: string | undefined;
  /** The story's epic, if it has one. */
  readonly epic: StoryEpic | undefined;
}

export interface StoryQuery extends TargetQuery {
  readonly storyId: string;
}

export type StoryEpic = Pick<Epic, "id" | "delivery" | "branch">;

export interface StoryTarget extends Base {
  /** False for an epic's branch that does not exist: its commit and copies are those of the base then. */
  readonly isThere: boolean;
}

/** The branch that an epic's stories go into, if they have one of their own. */
export const sharedBranch = (
  epic: StoryEpic | undefined,
  settings: Pick<Settings, "delivery">,
): string | undefined =>
  epic !== undefined && isDeliveredAsOne(epic, settings) ? epicBranch(epic.id) : undefined;

/**
 * The branch that a story starts from and goes into: that of its epic if the epic is delivered as one; otherwise the
 * project's base. `readBase` can fetch first.
 */
export async function findTarget(
  repository: Repository,
  { storyId, epic, settings, forge }: TargetQuery,
  readBase: (setting: string | undefined) => Promise<Base> = (setting) =>
    findBase(repository, setting),
): Promise<StoryTarget> {
  const branch = sharedBranch(epic, settings);
  if (branch === undefined) {
    const setting =
      settings.git.base ??
      (storyId === undefined ? undefined : await recordedBase(repository.git, forge, storyId));
    return { ...(await readBase(setting)), isThere: true };
  }
  const base = await readBase(settings.git.base);
  const isRemoteFirst = canPush(repository, settings, forge);
  const [first, ...others] = await readCopies(repository, branch, isRemoteFirst);
  const named = { ...base, branch, target: branch };
  if (first === undefined) return { ...named, isThere: false };
  // What the base has is not the story's own work either.
  const copies = [first, ...others].map(({ commit }) => commit).concat(base.copies);
  return { ...named, ...first, copies, isThere: true };
}

/**
 * The base of a started story, from its pull request. Without a remote the base of a new story is what is checked out,
 * which a person can change at any time. Undefined for a new story, and on a forge with a default branch of its own.
 */
async function recordedBase(git: Git, forge: Forge, storyId: string): Promise<string | undefined> {
  if (forge.kind !== "local") return undefined;
  const base = (await forge.find(storyBranch(storyId)))?.base;
  if (base === undefined || (await commitOf(git, `refs/heads/${base}`)) !== undefined) return base;
  // No other branch is used instead: the work would end up in the wrong one.
  throw new SagaError("not-found", `The branch ${base} of the story ${storyId} is gone.`, {
    hint: "Create it again, or set another one in .saga/config.toml: `base` under `[git]`.",
  });
}

interface BranchCopy {
  readonly ref: string;
  readonly commit: string;
}

/** A branch's commits, here and at the remote as last fetched. A branch that is pushed lives at the remote. */
export async function readCopies(
  { git, remote }: Repository,
  branch: string,
  isRemoteFirst = false,
): Promise<BranchCopy[]> {
  const here = `refs/heads/${branch}`;
  const refs = remote ? [here, `refs/remotes/${remote.name}/${branch}`] : [here];
  const found: BranchCopy[] = [];
  for (const ref of isRemoteFirst ? refs.toReversed() : refs) {
    const commit = await commitOf(git, ref);
    if (commit !== undefined) found.push({ ref, commit });
  }
  return found;
}

/** Commits to compare: from the one before the story's own work to its last. */
export interface StoryRange {
  readonly git: Git;
  readonly from: string;
  readonly to: string;
}

/** A merge of a story. */
export interface MergedWork {
  /** The branch it goes into. */
  readonly target: string;
  /** The story's last commit. */
  readonly tip: string;
  /** The target's commit before the merge. */
  readonly onto: string;
  /** The target's commit after it. */
  readonly commit: string;
}

export interface RangeQuery extends StoryQuery {
  readonly branch: string | undefined;
  /** Its last recorded merge. */
  readonly merged: MergedWork | undefined;
  /** The first commit of its first run, if that was recorded. */
  readonly firstCommit: () => Promise<string | undefined>;
}

/** The commits of a story, merged or not. Undefined if it has no branch yet. */
export async function findRange(
  repository: Repository,
  query: RangeQuery,
): Promise<StoryRange | undefined> {
  const { git } = repository;
  const { storyId, branch = storyBranch(storyId), merged } = query;
  const tip = (await commitOf(git, `refs/heads/${branch}`)) ?? merged?.tip;
  if (tip === undefined) return undefined;
  // The target of a merged story contains it: use the target before the merge.
  if (merged?.tip === tip && (await whereMerged(repository, merged)) !== "nowhere") {
    return { git, from: await sharedOrFirst(git, merged.onto, tip), to: tip };
  }
  const target = await findTarget(repository, query);
  const from = await storyStart(git, { base: target, tip });
  const before = from === tip ? await beforeMerge(git, { target, tip, query }) : undefined;
  return { git, from: before ?? from, to: tip };
}

/** Whether the target still has a merged story; `gone` if the branch no longer exists. */
export async function whereMerged(
  repository: Repository,
  { target, commit }: MergedWork,
): Promise<"target" | "gone" | "nowhere"> {
  const copies = await readCopies(repository, target);
  if (copies.length === 0) return "gone";
  for (const copy of copies) {
    if (await isAncestor(repository.git, commit, copy.commit)) return "target";
  }
  return "nowhere";
}

/** The start of a story that its target contains without a record: merged by hand or by the forge. */
async function beforeMerge(
  git: Git,
  {
    target,
    tip,
    query,
  }: { readonly target: StoryTarget; readonly tip: string; readonly query: RangeQuery },
): Promise<string | undefined> {
  const since = `${tip}..${target.commit}`;
  // The merge is the oldest commit on the target's first-parent line that contains the story.
  const firstParents = (await git.ask(["rev-list", "--first-parent", since, "--"])).split("\n");
  const containing = new Set(
    (await git.ask(["rev-list", "--ancestry-path", since, "--"])).split("\n"),
  );
  const merge = firstParents.findLast((commit) => commit !== "" && containing.has(commit));
  const before = merge && (await commitOf(git, `${merge}^1`));
  if (before && !(await isAncestor(git, tip, before))) return sharedOrFirst(git, before, tip);
  // A fast-forward leaves no merge commit: only the first run recorded the start.
  const first = await query.firstCommit();
  if (first === undefined || !(await isAncestor(git, first, tip))) return undefined;
  return commitOf(git, `${first}^1`);
}

/** Where a story's own work begins. Without a commit in common, as in a shallow clone, at its target. */
export const storyStart = async (git: Git, story: StoryCommits): Promise<string> =>
  (await findStart(git, story)) ?? story.base.commit;

export interface StoryCommits {
  readonly base: Pick<Base, "commit" | "copies">;
  /** The story's last commit. */
  readonly tip: string;
}

/**
 * Undefined if this clone knows no commit that the story and its target have in common. The local target and the remote's copy may each have commits that the other lacks,
 * and the story may have merged either. Work of others must not be judged as the story's.
 */
export async function findStart(
  git: Git,
  { base, tip }: StoryCommits,
): Promise<string | undefined> {
  let start: string | undefined;
  for (const copy of new Set([base.commit, ...base.copies])) {
    const isBelow = await isRecentAncestor(git, copy, tip);
    const shared = isBelow ? copy : await sharedCommit(git, copy, tip);
    if (shared === undefined) continue;
    start = start === undefined ? shared : await joinCommits(git, start, shared);
  }
  return start;
}

/** Without a common commit, as in a shallow clone, it is the first. */
const sharedOrFirst = async (git: Git, one: string, other: string): Promise<string> =>
  (await sharedCommit(git, one, other)) ?? one;

/**
 * A commit that contains both: the newer one or, if they have diverged, a merge of the two that is on no branch. Its
 * files may contain conflict markers; a story that resolved the conflict then shows up as changing those lines.
 */
export async function joinCommits(git: Git, one: string, other: string): Promise<string> {
  if (await isAncestor(git, one, other)) return other;
  if (await isAncestor(git, other, one)) return one;
  const { tree } = await mergeTips(steadily(git), one, other);
  const parents = [one, other];
  const committedAt = await lastCommittedAt(git, parents);
  return writeCommit(git, { tree, parents, message: "Both of them\n", committedAt });
}

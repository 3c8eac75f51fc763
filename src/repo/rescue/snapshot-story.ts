// Saves everything that would be lost with a story's worktree and branch in snapshots: files, what is staged,
// and every commit. Fails if something cannot be saved.

import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import { listNames, readTextIfThere } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import { readRegularBytes } from "../../machine/files/bounded-file.ts";
import { requireId } from "../../story/definition/names.ts";
import type { Repository } from "../repository.ts";
import { storyFolder } from "../worktree/bring-story.ts";
import { decide } from "../worktree/decide.ts";
import { entryAt } from "../lstat.ts";
import { stagedTree } from "../worktree/unregister-worktree.ts";
import { snapshotAll, readSnapshots, saveSnapshot, type Snapshot } from "../snapshots/snapshot.ts";
import { listWorktrees } from "../worktree/list-worktrees.ts";
import { GIT_IS_ADDING, lockOf } from "../worktree/place.ts";
import { isSamePath } from "../worktree/git-links.ts";
import { commitOf } from "../refs.ts";
import { lastCommitIn } from "../reflog.ts";
import { readSituation, type LostWorktree, type Situation } from "../worktree/situation.ts";

export interface StorySnapshotRequest {
  readonly repository: Repository;
  readonly storyId: string;
  /** Provisioned paths, relative to the top folder. */
  readonly exclude: readonly string[];
  /** Where stories start, for a worktree whose own commit is unknown. */
  readonly baseCommit: string;
  /** The branch at the remote has other work: it is not saved. */
  readonly isWithoutRemote?: boolean;
}

export const DISCARDED = { why: "discarded", reason: "discarded" } as const;

/**
 * Returns the snapshot to restore; undefined when the story has neither a worktree nor a commit. Repeated, it
 * returns the same one.
 */
export async function snapshotStory(request: StorySnapshotRequest): Promise<Snapshot | undefined> {
  const { repository } = request;
  const { git } = repository;
  const storyId = requireId("story", request.storyId);
  const situation = await readSituation(repository, storyId);
  const { place, local } = situation;
  const theirs = request.isWithoutRemote ? undefined : situation.theirs;
  await requireOwn(repository, situation, request.baseCommit);
  const only = (tips: readonly (string | undefined)[]): string[] =>
    tips.filter((tip) => tip !== undefined);
  if (place.kind === "worktree") {
    const at = git.at(situation.folder);
    const head = await headOf(at, { gitDir: place.gitDir, baseCommit: request.baseCommit });
    const tips = only([local, theirs, ...(await tipsInProgress(at, place.gitDir))]);
    await snapshotTips(git, { storyId, head, tips });
    return snapshotWorktree(request, situation.folder, head);
  }
  for (const lost of situation.lost.filter(({ isForeign }) => !isForeign)) {
    await snapshotLost(git, lost, storyId);
  }
  const heads = situation.lost.map(({ head }) => head);
  const [main, ...others] = only([local, ...heads, theirs]);
  if (main === undefined) return undefined;
  await snapshotTips(git, { storyId, head: main, tips: others });
  const known = (await readSnapshots(git, storyId)).findLast(
    ({ reason, parents }) => reason === DISCARDED.reason && parents[0] === main,
  );
  if (known) return known;
  const tree = `${main}^{tree}`;
  return saveSnapshot(git, { storyId, ...DISCARDED, head: main, tree, index: undefined });
}

/** The commit that a worktree's files are based on. */
export const headOf = async (
  git: Git,
  { gitDir, baseCommit }: { readonly gitDir: string; readonly baseCommit: string },
): Promise<string> =>
  (await commitOf(git, "HEAD")) ?? (await lastCommitIn(git, gitDir)) ?? baseCommit;

/** Refuses if another checkout has the branch, or if a person locked the worktree. */
async function requireOwn(
  repository: Repository,
  situation: Situation,
  baseCommit: string,
): Promise<void> {
  const { place, folder, branch } = situation;
  if (place.kind === "free") {
    const step = decide(situation, baseCommit);
    if (step.kind === "refuse") throw step.error;
  }
  const elsewhere = (await listWorktrees(repository)).find(
    (one) => one.branch === branch && one.isPresent && !isSamePath(one.folder, folder),
  );
  if (elsewhere !== undefined) {
    throw new SagaError("in-use", `The branch ${branch} is checked out in ${elsewhere.folder}.`, {
      hint: "Nothing was changed. Switch that checkout to another branch and run the command again.",
    });
  }
  const lock = place.kind === "worktree" ? lockOf(place.gitDir) : undefined;
  if (lock === undefined || lock === GIT_IS_ADDING) return;
  throw new SagaError("in-use", `The worktree ${folder} is locked${lock && ` (${lock})`}.`, {
    hint: "Nothing was changed. Unlock it with `git worktree unlock`.",
  });
}

/** Commits of a merge or rebase in progress, and what git stashed when it started. */
const UNDER_WAY = ["CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "MERGE_AUTOSTASH"];
const UNDER_WAY_FILES = ["MERGE_HEAD", "rebase-merge/autostash", "rebase-apply/autostash"];

/** Commits that may be on no branch. */
async function tipsInProgress(git: Git, gitDir: string): Promise<(string | undefined)[]> {
  const files = UNDER_WAY_FILES.map((name) => readTextIfThere(join(gitDir, name)) ?? "");
  const refs = await git.ask(["for-each-ref", "--format=%(objectname)", ...PER_WORKTREE]);
  const ids = [...files, refs].flatMap((text) => text.split("\n")).filter((id) => id !== "");
  return Promise.all([...UNDER_WAY, ...ids].map((name) => commitOf(git, name)));
}

/** These refs live in the worktree's git folder and are deleted with it. */
const PER_WORKTREE = ["refs/worktree", "refs/bisect", "refs/rewritten"];

interface Tips {
  readonly storyId: string;
  /** Gets its own snapshot in any case. */
  readonly head: string;
  readonly tips: readonly string[];
}

/** Takes a snapshot of each tip that neither the head nor another snapshot contains. */
async function snapshotTips(git: Git, { storyId, head, tips }: Tips): Promise<void> {
  for (const tip of new Set(tips)) {
    if (await isBelow(git, tip, [head, `--glob=refs/saga/keep/${storyId}/*`])) continue;
    const tree = `${tip}^{tree}`;
    await saveSnapshot(git, {
      storyId,
      why: `${DISCARDED.why}: more commits`,
      head: tip,
      tree,
      index: undefined,
    });
  }
}

export const isBelow = async (git: Git, tip: string, known: readonly string[]): Promise<boolean> =>
  (await git.ask(["rev-list", "--max-count=1", tip, "--not", ...known, "--"])) === "";

/** Saves what was staged in a worktree whose folder is gone; only its git folder still has it. */
async function snapshotLost(git: Git, lost: LostWorktree, storyId: string): Promise<void> {
  const { head } = lost;
  const staged = head === undefined ? undefined : await stagedTree(git, lost);
  if (head === undefined || staged === undefined) return;
  if (staged === (await git.ask(["rev-parse", `${head}^{tree}`]))) return;
  for (const { tree, parents } of await readSnapshots(git, storyId)) {
    const [from, index] = parents;
    if (from !== head) continue;
    if (tree === staged) return;
    if (index && (await git.ask(["rev-parse", `${index}^{tree}`])) === staged) return;
  }
  await saveSnapshot(git, {
    storyId,
    why: `${DISCARDED.why}: staged`,
    head,
    tree: staged,
    index: undefined,
  });
}

async function snapshotWorktree(
  { repository, storyId, exclude }: StorySnapshotRequest,
  folder: string,
  head: string,
): Promise<Snapshot> {
  const git = repository.git.at(folder);
  await requireUnchangedCopies(repository, folder, exclude);
  const include = [storyFolder(storyId)];
  const request = { git, storyId, ...DISCARDED, exclude, head, include };
  const { tree, ...snapshot } = await snapshotAll(request);
  if (snapshot.addError !== undefined)
    throw cannotSnapshot(folder, `could not all be read: ${snapshot.addError}`);
  const listed = (await git.ask(["ls-tree", "-r", "-z", tree])).split("\0");
  for (const entry of listed.filter((one) => one.startsWith("160000 "))) {
    const path = join(folder, entry.slice(entry.indexOf("\t") + 1));
    if (entryAt(join(path, ".git")) === undefined) continue;
    throw cannotSnapshot(path, "is a nested git repository, which a snapshot cannot hold");
  }
  return snapshot;
}

/** Snapshots leave provisioned copies out, so a changed copy would be lost. */
async function requireUnchangedCopies(
  { project, git }: Repository,
  folder: string,
  exclude: readonly string[],
): Promise<void> {
  for (const path of exclude) {
    const at = git.at(folder);
    const isTracked = (await at.ask(["ls-files", "-z", "--", `:(top,literal)${path}`])) !== "";
    const entry = entryAt(join(folder, path));
    // An ignored folder can be generated again, like everything else that git ignores.
    const isIgnored =
      entry?.isDirectory() && (await at.attempt(["check-ignore", "--quiet", "--", path])).isOk;
    const changed =
      isTracked || isIgnored ? undefined : changedIn(join(folder, path), join(project, path));
    if (changed === undefined) continue;
    throw cannotSnapshot(changed, "differs from the project's copy, and snapshots leave it out");
  }
}

/** The first file of a copy that is not the same as the original. */
export function changedIn(copy: string, original: string): string | undefined {
  const entry = entryAt(copy);
  if (entry?.isDirectory()) {
    const names = listNames(copy);
    return names.map((name) => changedIn(join(copy, name), join(original, name))).find(Boolean);
  }
  if (!entry?.isFile()) return undefined;
  const isSame =
    entryAt(original)?.isFile() && readRegularBytes(original).equals(readRegularBytes(copy));
  return isSame ? undefined : copy;
}

const cannotSnapshot = (path: string, how: string): SagaError =>
  new SagaError("not-ready", `${path} ${how}.`, {
    hint: "Nothing was removed. Save the files that you need, delete the rest, and run the command again.",
  });

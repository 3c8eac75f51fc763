// A pool worker's worktree, reused from task to task: each task starts from the target's current commit.
// Uncommitted and unmerged work found in it goes into snapshots first. Ignored files stay, so that installed
// dependencies and caches survive.

import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskError, makeFolder } from "../../machine/files/files.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import type { Git } from "../../machine/programs/git.ts";
import { diskPath, shownPath } from "../../machine/files/raw-bytes.ts";
import { storyBranch } from "../../story/definition/names.ts";
import type { Base, Repository } from "../repository.ts";
import { deleteConflictRecord } from "../records/conflict-record.ts";
import { readDeliveries } from "../records/delivery-record.ts";
import {
  snapshotFiles,
  withIndexOf,
  type Snapshot,
  type SavedFiles,
} from "../snapshots/snapshot.ts";
import { snapshotCommit } from "../snapshots/snapshot-commit.ts";
import { clearStaleLocks } from "../stale-locks.ts";
import { inProgress } from "./place.ts";
import { commitOf, isAncestor } from "../refs.ts";
import { findWorktree } from "./situation.ts";
import { prepareWorktree, type PreparedWorktree } from "./worktree.ts";

export interface FreshWorktreeRequest {
  readonly repository: Repository;
  /** The pool worker's name; in git it is treated like a story. */
  readonly storyId: string;
  /** The commit to start from. */
  readonly base: Base;
  /** Provisioned paths, relative to the top folder. */
  readonly exclude: readonly string[];
  /** Receives files that git cannot put into a snapshot. */
  readonly unsavedFolder: string;
  readonly onSnapshot: (snapshot: Snapshot, why: string) => void;
  readonly onWarning: (sentence: string) => void;
}

export async function freshWorktree(request: FreshWorktreeRequest): Promise<PreparedWorktree> {
  const { repository, storyId, base, onWarning } = request;
  const found = findWorktree(repository, storyId);
  // An unfinished worktree has no files and no index yet.
  const isWhole = found !== undefined && (await hasIndex(repository.git.at(found)));
  if (isWhole) await resetToBase(request, repository.git.at(found));
  const copyStoryToWorktree = async (): Promise<void> => undefined;
  const tree = await prepareWorktree({ repository, storyId, base, copyStoryToWorktree, onWarning });
  if (!isWhole) await resetToBase(request, repository.git.at(tree.folder));
  return tree;
}

const hasIndex = async (git: Git): Promise<boolean> =>
  existsSync(join(await git.ask(["rev-parse", "--absolute-git-dir"]), "index"));

/** Saves what a worker left when it ended in the middle of a task. Nothing is moved. */
export async function snapshotLeftovers(
  request: Omit<FreshWorktreeRequest, "unsavedFolder" | "onWarning">,
  git: Git,
  why: string,
): Promise<SavedFiles> {
  const { storyId, base, exclude, onSnapshot } = request;
  const saved = await snapshotFiles({ git, storyId, why, exclude });
  if (saved.snapshot) onSnapshot(saved.snapshot, why);
  const { done } = await readDeliveries(git, storyId);
  for (const name of ["HEAD", `refs/heads/${storyBranch(storyId)}`]) {
    const tip = await commitOf(git, name);
    if (tip === undefined || (await isAncestor(git, tip, base.commit))) continue;
    // The delivery record keeps delivered commits reachable.
    if (done !== undefined && (await isAncestor(git, tip, done.tip))) continue;
    const snapshot = await snapshotCommit(git, storyId, { tip, why });
    if (snapshot) onSnapshot(snapshot, why);
  }
  return saved;
}

async function resetToBase(request: FreshWorktreeRequest, git: Git): Promise<void> {
  const { storyId, base, exclude } = request;
  await clearStaleLocks(git);
  const { files, addError } = await snapshotLeftovers(request, git, "found when a run began");
  if (addError !== undefined)
    await moveToUnsaved(request, git, await listPathsNotIn(files, git, exclude));
  await quitRebaseOrBisect(git);
  await deleteConflictRecord(git, storyId);
  const branch = storyBranch(storyId);
  await git.ask(["checkout", "--quiet", "--force", "--no-track", "-B", branch, base.commit, "--"]);
  const spared = exclude.map((path) => `--exclude=/${escapePattern(path)}`);
  await git.ask(["clean", "--quiet", "--force", "-d", ...spared]);
  await moveToUnsaved(request, git, await listOthers(git, exclude));
}

/** The checkout ends a merge or cherry-pick, but not a rebase or bisect. */
async function quitRebaseOrBisect(git: Git): Promise<void> {
  const operation = inProgress(await git.ask(["rev-parse", "--absolute-git-dir"]));
  if (operation === "rebase") {
    const quit = await git.attempt(["rebase", "--quit"]);
    if (!quit.isOk) await git.ask(["am", "--quit"]);
  }
  if (operation === "bisect") await git.ask(["bisect", "reset", "HEAD"]);
}

/** Files that differ from the tree: unreadable ones, and those whose names git rejects. */
async function listPathsNotIn(
  tree: string,
  git: Git,
  exclude: readonly string[],
): Promise<string[]> {
  return withIndexOf(git, tree, async (env) => {
    await git.attempt(["update-index", "-q", "--refresh"], { env });
    const changed = ["diff-files", "--name-only", "-z", "--diff-filter=d", "--ignore-submodules"];
    const names = await git.ask([...changed, "--", ...excludePathspecs(exclude)], { env });
    return [...names.split("\0").filter(Boolean), ...(await listOthers(git, exclude, env))];
  });
}

/** Untracked paths that git neither saves nor removes, such as a nested repository. */
async function listOthers(
  git: Git,
  exclude: readonly string[],
  env: Environment = {},
): Promise<string[]> {
  const listed = ["ls-files", "--others", "--exclude-standard", "--directory", "-z"];
  const names = await git.ask([...listed, "--", ...excludePathspecs(exclude)], { env });
  return names.split("\0").filter(Boolean);
}

const excludePathspecs = (exclude: readonly string[]): string[] => [
  ":(top)",
  ...exclude.map((path) => `:(top,exclude,literal)${path}`),
];

async function moveToUnsaved(
  { unsavedFolder, onWarning }: FreshWorktreeRequest,
  git: Git,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    const from = join(git.folder, path);
    const to = join(unsavedFolder, path);
    try {
      makeFolder(unsavedFolder);
      mkdirSync(diskPath(dirname(to)), { recursive: true });
      renameSync(diskPath(from), diskPath(to));
    } catch (error) {
      throw diskError(error, from);
    }
    onWarning(
      `${shownPath(path)} could not be saved in a snapshot; it was moved to ${unsavedFolder}.`,
    );
  }
}

/** Makes a path literal inside an ignore pattern. */
const escapePattern = (path: string): string => path.replaceAll(/[\\*?[\]!# ]/g, "\\$&");

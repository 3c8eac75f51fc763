// A worktree that is used for one task after the other: each begins on the target as it is now. What is
// found there, uncommitted or unmerged, is kept as snapshots first; what git ignores stays, and keeps
// the worktree warm.

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
  withTemporaryIndex,
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
  /** Whose it is; to git it is a story. */
  readonly storyId: string;
  /** Where it is to begin. */
  readonly base: Base;
  /** What was put into the worktree for it alone: paths from the top folder. */
  readonly exclude: readonly string[];
  /** Takes what no snapshot can hold. */
  readonly unsavedFolder: string;
  readonly onSnapshot: (keep: Snapshot, why: string) => void;
  readonly onWarning: (sentence: string) => void;
}

export async function freshWorktree(request: FreshWorktreeRequest): Promise<PreparedWorktree> {
  const { repository, storyId, base, onWarning } = request;
  const found = findWorktree(repository, storyId);
  // One that was only begun has no files yet, and no index.
  const isWhole = found !== undefined && (await hasIndex(repository.git.at(found)));
  if (isWhole) await resetToBase(request, repository.git.at(found));
  const carryStory = async (): Promise<void> => undefined;
  const tree = await prepareWorktree({ repository, storyId, base, carryStory, onWarning });
  if (!isWhole) await resetToBase(request, repository.git.at(tree.folder));
  return tree;
}

const hasIndex = async (git: Git): Promise<boolean> =>
  existsSync(join(await git.ask(["rev-parse", "--absolute-git-dir"]), "index"));

/** What a worker leaves behind when it ends in the middle: nothing is moved, all of it is kept. */
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
    // What was delivered is remembered with all of its commits.
    if (done !== undefined && (await isAncestor(git, tip, done.tip))) continue;
    const keep = await snapshotCommit(git, storyId, { tip, why });
    if (keep) onSnapshot(keep, why);
  }
  return saved;
}

async function resetToBase(request: FreshWorktreeRequest, git: Git): Promise<void> {
  const { storyId, base, exclude } = request;
  await clearStaleLocks(git);
  const { files, addError } = await snapshotLeftovers(request, git, "found when a worker began");
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

/** A merge and its like end with the checkout; these would go on afterwards. */
async function quitRebaseOrBisect(git: Git): Promise<void> {
  const begun = inProgress(await git.ask(["rev-parse", "--absolute-git-dir"]));
  if (begun === "rebase") {
    const quit = await git.attempt(["rebase", "--quit"]);
    if (!quit.isOk) await git.ask(["am", "--quit"]);
  }
  if (begun === "bisect") await git.ask(["bisect", "reset", "HEAD"]);
}

/** What is there otherwise than in a tree: a file that may not be read, or has a name that git takes for no name. */
async function listPathsNotIn(
  tree: string,
  git: Git,
  exclude: readonly string[],
): Promise<string[]> {
  const gitDir = await git.ask(["rev-parse", "--absolute-git-dir"]);
  return withTemporaryIndex(gitDir, async (file) => {
    const env = { GIT_INDEX_FILE: file };
    await git.ask(["read-tree", tree], { env });
    await git.attempt(["update-index", "-q", "--refresh"], { env });
    const changed = ["diff-files", "--name-only", "-z", "--diff-filter=d", "--ignore-submodules"];
    const names = await git.ask([...changed, "--", ...excludePathspecs(exclude)], { env });
    return [...names.split("\0").filter(Boolean), ...(await listOthers(git, exclude, env))];
  });
}

/** A repository of its own, say: git neither saves nor removes it. */
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
    onWarning(`${shownPath(path)} could not be kept as a snapshot; it is in ${unsavedFolder} now.`);
  }
}

/** In a pattern, as it is. */
const escapePattern = (path: string): string => path.replaceAll(/[\\*?[\]!# ]/g, "\\$&");

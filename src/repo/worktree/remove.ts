// Removes a worktree when nothing would be lost: everything is committed, and the commits exist elsewhere too.
// Git does the removal, with its own checks; no code here deletes a folder.

import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import { readRegularBytes } from "../../machine/files/bounded-file.ts";
import { requireId } from "../../story/definition/names.ts";
import type { Repository } from "../repository.ts";
import { storyFolder } from "./bring-story.ts";
import { doneRef } from "../records/delivery-record.ts";
import { entryAt } from "../lstat.ts";
import { unhideFiles } from "../snapshots/hidden-files.ts";
import { copyIndex, withTemporaryIndex } from "../snapshots/snapshot.ts";
import { isDirty, lockOf, type PresentWorktree } from "./place.ts";
import { commitOf } from "../refs.ts";
import { readSituation, type Situation } from "./situation.ts";

export interface RemoveRequest {
  readonly repository: Repository;
  readonly storyId: string;
  readonly isLeased: boolean;
  /** Commits reachable from here count as merged. */
  readonly baseCommit: string;
  /** Provisioned paths, relative to the top folder. */
  readonly exclude: readonly string[];
  /** Only answer whether it would be removed. */
  readonly isDryRun?: boolean | undefined;
}

export type Removal =
  | { readonly removed: true }
  | { readonly removed: false; readonly why: string };

export async function removeWorktree(request: RemoveRequest): Promise<Removal> {
  const { repository, exclude } = request;
  const situation = await readSituation(repository, requireId("story", request.storyId));
  const { folder, place } = situation;
  if (place.kind === "free") return notRemoved(`There is no worktree at ${folder}.`);
  if (place.kind !== "worktree") {
    return notRemoved(`${folder} is not a worktree of this repository.`);
  }
  const why = await whyNeeded(request, situation, place);
  if (why !== undefined) return notRemoved(why);
  const provisioned = await findProvisioned(repository, folder, exclude);
  if (provisioned.why !== undefined) return notRemoved(provisioned.why);
  if (request.isDryRun) return { removed: true };
  for (const path of provisioned.paths) rmSync(join(folder, path));
  const removed = await repository.git.attempt(["worktree", "remove", "--", folder]);
  return removed.isOk
    ? { removed: true }
    : notRemoved(`Git refuses to remove ${folder}: ${removed.stderr}`);
}

const notRemoved = (why: string): Removal => ({ removed: false, why });

async function whyNeeded(
  { repository, isLeased, baseCommit, exclude }: RemoveRequest,
  { storyId, folder, branch }: Situation,
  place: PresentWorktree,
): Promise<string | undefined> {
  if (isLeased) return `A worker is running in ${folder}.`;
  const lock = lockOf(place.gitDir);
  if (lock !== undefined) return `The worktree ${folder} is locked${lock && ` (${lock})`}.`;
  if (place.inProgress) return `A ${place.inProgress} is in progress in ${folder}.`;
  if (place.branch !== branch) return `The worktree ${folder} is not on ${branch}.`;
  if (place.isUnfinished) return `The worktree ${folder} was never completed.`;
  const git = repository.git.at(folder);
  if (await isDirty(git, exclude)) return `${folder} has uncommitted changes.`;
  if (await hasHiddenChanges(git, place.gitDir)) {
    return `${folder} has changes in files marked --assume-unchanged or --skip-worktree.`;
  }
  if (await hasIgnoredStory(git, storyId)) {
    return `${folder} has the only copy of the story's files, because git ignores them.`;
  }
  if (await isAhead({ ...repository, git }, { storyId, branch, baseCommit })) {
    return `${branch} has commits that are not merged, pushed or in a snapshot.`;
  }
  return undefined;
}

async function hasHiddenChanges(git: Git, gitDir: string): Promise<boolean> {
  return withTemporaryIndex(gitDir, async (file) => {
    copyIndex(join(gitDir, "index"), file);
    const env = { GIT_INDEX_FILE: file };
    if (!(await unhideFiles(git, env))) return false;
    await git.attempt(["update-index", "-q", "--refresh"], { env });
    return !(await git.attempt(["diff-files", "--quiet", "--ignore-submodules"], { env })).isOk;
  });
}

/** Where a project ignores `.saga`, status and journal exist only in the worktree. */
async function hasIgnoredStory(git: Git, storyId: string): Promise<boolean> {
  const ignored = ["ls-files", "--others", "--ignored", "--exclude-standard", "-z"];
  const names = await git.ask([...ignored, "--", `:(top,literal)${storyFolder(storyId)}`]);
  // Names of temporary files start with a dot.
  return names.split("\0").some((name) => name !== "" && !basename(name).startsWith("."));
}

/** Whether the branch, or a ref that only this worktree has, has commits that exist nowhere else. */
async function isAhead(
  { git, remote }: Repository,
  { storyId, branch, baseCommit }: { storyId: string; branch: string; baseCommit: string },
): Promise<boolean> {
  const pushed = remote && (await commitOf(git, `refs/remotes/${remote.name}/${branch}`));
  // After a rebase no other branch has the story's commits; the record of the delivery does.
  const delivered = await commitOf(git, doneRef(storyId));
  const known = [baseCommit, pushed, delivered].filter((one) => one !== undefined);
  const safe = [...known, `--glob=refs/saga/keep/${storyId}/*`];
  const own = [`refs/heads/${branch}`, "--glob=refs/worktree/*"];
  const args = ["rev-list", "--max-count=1", ...own, "--not", ...safe, "--"];
  return (await git.ask(args)) !== "";
}

/**
 * The provisioned files to delete first, because git would count them as work: symlinks, and copies that still
 * match the project. A changed copy is a reason not to remove the worktree.
 */
async function findProvisioned(
  { project, git }: Repository,
  folder: string,
  exclude: readonly string[],
): Promise<{ readonly paths: readonly string[]; readonly why?: string }> {
  const paths: string[] = [];
  for (const path of exclude) {
    const entry = entryAt(join(folder, path));
    if (!entry?.isSymbolicLink() && !entry?.isFile()) continue;
    // A path through a symlink leads to the project's own file.
    if (!isInside(folder, dirname(join(folder, path)))) continue;
    const tracked = await git.at(folder).ask(["ls-files", "-z", "--", `:(top,literal)${path}`]);
    if (tracked !== "") continue;
    if (entry.isFile() && !isSameFile(join(project, path), join(folder, path))) {
      return { paths: [], why: `${join(folder, path)} differs from the project's copy.` };
    }
    paths.push(path);
  }
  return { paths };
}

/** False for files that cannot be read or are not regular. */
function isSameFile(one: string, other: string): boolean {
  try {
    return readRegularBytes(one).equals(readRegularBytes(other));
  } catch {
    return false;
  }
}

// A worktree goes when nothing in it would be missed: all of it is committed, and the commits are
// somewhere else too. Git removes it, and looks for itself once more; nothing here deletes a folder.

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
  /** Whether a worker has it. */
  readonly isLeased: boolean;
  /** What is reachable from here has arrived. */
  readonly baseCommit: string;
  /** What was copied or linked into it from the project: paths from the top folder. */
  readonly exclude: readonly string[];
  /** Only say whether it would go. */
  readonly isDryRun?: boolean | undefined;
}

export type Removal =
  | { readonly removed: true }
  /** A sentence. */
  | { readonly removed: false; readonly why: string };

export async function removeWorktree(request: RemoveRequest): Promise<Removal> {
  const { repository, exclude } = request;
  const situation = await readSituation(repository, requireId("story", request.storyId));
  const { folder, place } = situation;
  if (place.kind === "free") return notRemoved(`There is no worktree at ${folder}.`);
  if (place.kind !== "worktree") return notRemoved(`${folder} is no worktree of this repository.`);
  const why = await whyNeeded(request, situation, place);
  if (why !== undefined) return notRemoved(why);
  const given = await findProvisioned(repository, folder, exclude);
  if (given.why !== undefined) return notRemoved(given.why);
  if (request.isDryRun) return { removed: true };
  for (const path of given.paths) rmSync(join(folder, path));
  const removed = await repository.git.attempt(["worktree", "remove", "--", folder]);
  return removed.isOk ? { removed: true } : notRemoved(`Git keeps ${folder}: ${removed.stderr}`);
}

const notRemoved = (why: string): Removal => ({ removed: false, why });

async function whyNeeded(
  { repository, isLeased, baseCommit, exclude }: RemoveRequest,
  { storyId, folder, branch }: Situation,
  place: PresentWorktree,
): Promise<string | undefined> {
  if (isLeased) return `A worker is at work in ${folder}.`;
  const lock = lockOf(place.gitDir);
  if (lock !== undefined) return `The worktree ${folder} is locked${lock && ` (${lock})`}.`;
  if (place.inProgress) return `There is a ${place.inProgress} in progress in ${folder}.`;
  if (place.branch !== branch) return `The worktree ${folder} is not on ${branch}.`;
  if (place.isUnfinished) return `The worktree ${folder} was never completed.`;
  const git = repository.git.at(folder);
  if (await isDirty(git, exclude)) return `${folder} has changes that are not committed.`;
  if (await hasHiddenChanges(git, place.gitDir)) {
    return `${folder} has changes in files that git was told not to look at.`;
  }
  if (await hasIgnoredStory(git, storyId)) {
    return `The only copy of the story's own files is in ${folder}, because git ignores them.`;
  }
  if (await isAhead({ ...repository, git }, { storyId, branch, baseCommit })) {
    return `${branch} has commits that are neither merged, nor pushed, nor kept.`;
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

/** Status and journal are in the worktree alone, where a project keeps `.saga` out of git. */
async function hasIgnoredStory(git: Git, storyId: string): Promise<boolean> {
  const ignored = ["ls-files", "--others", "--ignored", "--exclude-standard", "-z"];
  const names = await git.ask([...ignored, "--", `:(top,literal)${storyFolder(storyId)}`]);
  // Temporary files have a dot.
  return names.split("\0").some((name) => name !== "" && !basename(name).startsWith("."));
}

/** Its branch, or what is on a ref of the worktree alone and goes with it. */
async function isAhead(
  { git, remote }: Repository,
  { storyId, branch, baseCommit }: { storyId: string; branch: string; baseCommit: string },
): Promise<boolean> {
  const pushed = remote && (await commitOf(git, `refs/remotes/${remote.name}/${branch}`));
  // Rebased, the commits of the branch are in no other: the record of their delivery has them.
  const delivered = await commitOf(git, doneRef(storyId));
  const known = [baseCommit, pushed, delivered].filter((one) => one !== undefined);
  const elsewhere = [...known, `--glob=refs/saga/keep/${storyId}/*`];
  const own = [`refs/heads/${branch}`, "--glob=refs/worktree/*"];
  const args = ["rev-list", "--max-count=1", ...own, "--not", ...elsewhere, "--"];
  return (await git.ask(args)) !== "";
}

/**
 * What the project has as well is taken away first, because git would take it for work: links, and
 * copies that are still the same. The next worktree is given them again. A copy that was changed is a
 * reason to stay.
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
    // Behind a link is the project's own.
    if (!isInside(folder, dirname(join(folder, path)))) continue;
    const known = await git.at(folder).ask(["ls-files", "-z", "--", `:(top,literal)${path}`]);
    if (known !== "") continue;
    if (entry.isFile() && !isSameFile(join(project, path), join(folder, path))) {
      return { paths: [], why: `${join(folder, path)} is not the same as in the project.` };
    }
    paths.push(path);
  }
  return { paths };
}

/** What may not be read, or is not a regular file, is not the same. */
function isSameFile(one: string, other: string): boolean {
  try {
    return readRegularBytes(one).equals(readRegularBytes(other));
  } catch {
    return false;
  }
}

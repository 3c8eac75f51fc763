// Removes a story's worktree and branch after snapshots hold all of it. The folder is first renamed, then saved
// once more at the new path, where no program writes any more, and only then deleted. After a kill, the next
// call continues from there.

import { existsSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf, SagaError } from "../../errors.ts";
import { syncFolder } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import { removeTree } from "../../machine/files/remove-tree.ts";
import type { Repository } from "../repository.ts";
import { storyFolder } from "../worktree/bring-story.ts";
import { entryAt } from "../lstat.ts";
import { snapshotAll, type Snapshot } from "../snapshots/snapshot.ts";
import { DISCARDED, headOf, isBelow, type StorySnapshotRequest } from "./snapshot-story.ts";
import { commitOf, deleteRef } from "../refs.ts";
import { gitDirOf } from "../worktree/git-links.ts";
import { readSituation, type LostWorktree } from "../worktree/situation.ts";

export interface RemovedWorktree {
  /** The removed folder. */
  readonly worktree: string | undefined;
  /** Taken after the rename; newer than that of `snapshotStory` if a file changed in between. */
  readonly snapshot: Snapshot | undefined;
  /** Sentences about what could not be removed, and does no harm. */
  readonly left: readonly string[];
}

/** Call it after `snapshotStory`, with the story's lease. */
export async function removeStoryWorktree(request: StorySnapshotRequest): Promise<RemovedWorktree> {
  const { repository, storyId } = request;
  const left: string[] = [];
  const situation = await readSituation(repository, storyId);
  const { place, folder } = situation;
  let snapshot = await clearDiscarded(request, folder, left);
  if (place.kind === "incomplete") {
    rmSync(join(folder, ".git"));
    rmdirSync(folder);
  }
  if (place.kind === "occupied") left.push(`${folder} ${place.how}, and was left as it is.`);
  if (place.kind === "worktree") {
    moveAway(folder);
    snapshot = await snapshotAgain(request, place.gitDir, discardedFolder(folder));
    await forgetFolder(repository, folder);
    removeDiscarded(discardedFolder(folder), left);
  }
  for (const lost of situation.lost.filter(isOwn)) await forgetFolder(repository, lost.folder);
  return { worktree: place.kind === "worktree" ? folder : undefined, snapshot, left };
}

const isOwn = ({ isForeign, isOwnPlace }: LostWorktree): boolean => isOwnPlace && !isForeign;

/** Removes the branch only if snapshots hold all of its commits. Returns the branch's last commit. */
export async function removeStoryBranch(
  { git }: Repository,
  { storyId, branch }: { readonly storyId: string; readonly branch: string },
): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  const tip = await commitOf(git, ref);
  if (tip === undefined) return undefined;
  const isSaved = await isBelow(git, tip, [`--glob=refs/saga/keep/${storyId}/*`]);
  const removed = isSaved
    ? await deleteRef(git, ref, tip)
    : { isOk: false, stderr: "it has new commits" };
  if (removed.isOk) return tip;
  throw new SagaError("program-failed", `${branch} could not be removed: ${removed.stderr}`, {
    hint: "No work was lost. Run the command again.",
  });
}

/** Beside the worktree, so that a rename is enough, under a name that no story can have. */
const discardedFolder = (folder: string): string =>
  join(dirname(folder), `.${basename(folder)}.discarded.tmp`);

function moveAway(folder: string): void {
  try {
    renameSync(folder, discardedFolder(folder));
    syncFolder(dirname(folder));
  } catch (error) {
    throw new SagaError("not-writable", `${folder} could not be renamed: ${messageOf(error)}`, {
      hint: "No work was lost. Fix the error above and run the command again.",
      cause: error,
    });
  }
}

/** A person may have saved a file between the first snapshot and the rename. */
async function snapshotAgain(
  { repository, storyId, exclude, baseCommit }: StorySnapshotRequest,
  gitDir: string,
  folder: string,
): Promise<Snapshot> {
  const git = gitWith(repository.git.at(folder), { GIT_DIR: gitDir, GIT_WORK_TREE: folder });
  const head = await headOf(git, { gitDir, baseCommit });
  const include = [storyFolder(storyId)];
  return snapshotAll({ git, storyId, ...DISCARDED, exclude, head, include });
}

/** The folder's own git links still name the path from before the rename. */
const gitWith = (git: Git, env: Readonly<Record<string, string>>): Git => ({
  folder: git.folder,
  place: git.place,
  ask: (args, options = {}) => git.ask(args, { ...options, env: { ...env, ...options.env } }),
  attempt: (args, options = {}) =>
    git.attempt(args, { ...options, env: { ...env, ...options.env } }),
  at: (folder) => gitWith(git.at(folder), env),
});

/** Finishes with a folder that a killed call renamed but did not delete. */
async function clearDiscarded(
  request: StorySnapshotRequest,
  folder: string,
  left: string[],
): Promise<Snapshot | undefined> {
  const discarded = discardedFolder(folder);
  if (entryAt(discarded) === undefined) return undefined;
  const gitDir = gitDirOf(discarded);
  // The git folder is removed after the last snapshot and before any file.
  const isSaved = gitDir === undefined || !existsSync(join(gitDir, "HEAD"));
  const snapshot = isSaved ? undefined : await snapshotAgain(request, gitDir, discarded);
  removeDiscarded(discarded, left);
  return snapshot;
}

function removeDiscarded(folder: string, left: string[]): void {
  try {
    removeTree(folder);
  } catch (error) {
    left.push(`${folder} could not be removed: ${messageOf(error)}`);
  }
}

/** Never `prune`: it unregisters every worktree on an unmounted disk. */
async function forgetFolder({ git }: Repository, folder: string): Promise<void> {
  await git.ask(["worktree", "remove", "--", folder]);
}

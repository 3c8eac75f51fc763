// Takes a story's worktree and branch away, when all of it is kept. The folder leaves its place in one
// step, is looked at once more where nobody writes any more, and only then removed: killed anywhere,
// the next call goes on from there.

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
import { headOf, isBelow, type StorySnapshotRequest } from "./snapshot-story.ts";
import { commitOf, deleteRef } from "../refs.ts";
import { gitDirOf } from "../worktree/git-links.ts";
import { readSituation, type LostWorktree } from "../worktree/situation.ts";

export interface RemovedWorktree {
  /** The folder that was there. */
  readonly worktree: string | undefined;
  /** What was written at the last moment: a newer snapshot than the one before. */
  readonly snapshot: Snapshot | undefined;
  /** Sentences about what could not be removed, and is in nobody's way. */
  readonly left: readonly string[];
}

/** After `keepStory`, by whoever has the story's lease. */
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

/** Only when every commit on it is kept. Answers with the commit it was at. */
export async function removeStoryBranch(
  { git }: Repository,
  { storyId, branch }: { readonly storyId: string; readonly branch: string },
): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  const tip = await commitOf(git, ref);
  if (tip === undefined) return undefined;
  const isKept = await isBelow(git, tip, [`--glob=refs/saga/keep/${storyId}/*`]);
  const removed = isKept
    ? await deleteRef(git, ref, tip)
    : { isOk: false, stderr: "it has gone on in the meantime" };
  if (removed.isOk) return tip;
  throw new SagaError("program-failed", `${branch} could not be removed: ${removed.stderr}`, {
    hint: "Nothing was lost. Run the command again.",
  });
}

/** Beside it, so that one rename is enough, and with a name that no story can have. */
const discardedFolder = (folder: string): string =>
  join(dirname(folder), `.${basename(folder)}.discarded.tmp`);

function moveAway(folder: string): void {
  try {
    renameSync(folder, discardedFolder(folder));
    syncFolder(dirname(folder));
  } catch (error) {
    throw new SagaError("not-writable", `${folder} cannot be moved away: ${messageOf(error)}`, {
      hint: "Nothing was lost. Put right what the system says, and run the command again.",
      cause: error,
    });
  }
}

/** Someone may have saved a file between the snapshot and the move. */
async function snapshotAgain(
  { repository, storyId, why, exclude, baseCommit }: StorySnapshotRequest,
  gitDir: string,
  aside: string,
): Promise<Snapshot> {
  const git = gitWith(repository.git.at(aside), { GIT_DIR: gitDir, GIT_WORK_TREE: aside });
  const head = await headOf(git, { gitDir, baseCommit });
  return snapshotAll({ git, storyId, why, exclude, head, include: [storyFolder(storyId)] });
}

/** Git would follow the pointers of the folder, which name the place that it has left. */
const gitWith = (git: Git, env: Readonly<Record<string, string>>): Git => ({
  folder: git.folder,
  ask: (args, options = {}) => git.ask(args, { ...options, env: { ...env, ...options.env } }),
  attempt: (args, options = {}) =>
    git.attempt(args, { ...options, env: { ...env, ...options.env } }),
  at: (folder) => gitWith(git.at(folder), env),
});

/** What a call that was killed has moved away and not removed yet. */
async function clearDiscarded(
  request: StorySnapshotRequest,
  folder: string,
  left: string[],
): Promise<Snapshot | undefined> {
  const aside = discardedFolder(folder);
  if (entryAt(aside) === undefined) return undefined;
  const gitDir = gitDirOf(aside);
  // Its git folder goes after the last look at it, and before any of its files.
  const isLookedAt = gitDir === undefined || !existsSync(join(gitDir, "HEAD"));
  const keep = isLookedAt ? undefined : await snapshotAgain(request, gitDir, aside);
  removeDiscarded(aside, left);
  return keep;
}

function removeDiscarded(aside: string, left: string[]): void {
  try {
    removeTree(aside);
  } catch (error) {
    left.push(`${aside} could not be removed: ${messageOf(error)}`);
  }
}

/** Never `prune`, which forgets every worktree on a disk that is not mounted. */
async function forgetFolder({ git }: Repository, folder: string): Promise<void> {
  await git.ask(["worktree", "remove", "--", folder]);
}

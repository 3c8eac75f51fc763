// Fills a worktree that was added without files: the story's folder first, then everything else. A marker in
// the worktree's git folder means that this has not finished; after a kill it is done again.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readTextIfThere, syncFolder, writeDurably } from "../../machine/files/files.ts";
import { gitError, type Git } from "../../machine/programs/git.ts";
import {
  bringStory,
  storyFolder,
  storySource,
  type CarryRequest,
  type StoryOrigin,
} from "./bring-story.ts";
import { snapshotChanges } from "../snapshots/snapshot.ts";
import { clearLocks } from "../stale-locks.ts";
import { UNFINISHED_MARKER } from "./place.ts";

interface CheckoutRequest extends CarryRequest {
  readonly warn: (sentence: string) => void;
}

interface UnfinishedCheckout {
  readonly folder: string;
  readonly gitDir: string;
  readonly branch: string;
  readonly head: string;
}

export async function finishCheckout(
  request: CheckoutRequest,
  { folder, gitDir, branch, head }: UnfinishedCheckout,
): Promise<void> {
  const git = request.repository.git.at(folder);
  await clearLocks(folder, { head: `refs/heads/${branch}`, gitDir });
  const marker = join(gitDir, UNFINISHED_MARKER);
  const earlierSource = readMarker(marker);
  const source = earlierSource ?? (await storySource(git, head, request));
  if (earlierSource === undefined) writeDurably(marker, `${source}\n`);

  await git.ask(["read-tree", "HEAD"]);
  // A user's sparse checkout applies to Saga's worktrees too.
  if (existsSync(join(gitDir, "info/sparse-checkout"))) await applySparseCheckout(git);
  const hasStory = await bringStory(request, folder, source);
  const story = `:(top,literal)${storyFolder(request.storyId)}`;
  // Git must not check the story out again: a task that was deleted in the project would come back, and later
  // changes would be undone.
  const unstage = ["rm", "-r", "--cached", "--sparse", "--ignore-unmatch", "--", story];
  const unstaged = hasStory ? await git.ask(unstage) : "";
  if (earlierSource !== undefined) await rewritePartialFiles(git, request);
  await checkOutRest(git);
  if (unstaged !== "") await git.ask(["reset", "--quiet", "--", story]);
  rmSync(marker);
  syncFolder(gitDir);
}

function readMarker(file: string): StoryOrigin | undefined {
  const text = readTextIfThere(file)?.trim();
  if (text === undefined) return undefined;
  return text === "branch" ? "branch" : "project";
}

async function checkOutRest(git: Git): Promise<void> {
  // Without --force: an existing file is left alone and counts as a failure.
  const { isOk, stderr } = await git.attempt(["checkout-index", "--all", "-u"]);
  if (isOk || (await git.ask(["ls-files", "--deleted", "-z"])) === "") return;
  throw gitError(`Not all files could be written to ${git.folder}: ${stderr}`);
}

async function applySparseCheckout(git: Git): Promise<void> {
  const setting = await git.attempt(["config", "--type=bool", "core.sparseCheckout"]);
  if (setting.stdout === "true") await git.ask(["sparse-checkout", "reapply"]);
}

/**
 * Git writes files in place, so a kill can leave a file half written. No agent has worked here yet, so any
 * difference must come from that. A snapshot is taken all the same before the files are written again.
 */
async function rewritePartialFiles(git: Git, { storyId, warn }: CheckoutRequest): Promise<void> {
  await git.attempt(["update-index", "-q", "--refresh"]);
  const differing = ["diff-files", "--quiet", "--diff-filter=MT", "--ignore-submodules"];
  if ((await git.attempt(differing)).isOk) return;
  const why = "found while the worktree was being created";
  const snapshot = await snapshotChanges({ git, storyId, why, exclude: [] });
  await git.ask(["checkout-index", "--force", "--all", "-u"]);
  if (snapshot)
    warn(`Partly written files were written again; ${snapshot.ref} has their old content.`);
}

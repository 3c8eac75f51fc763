// Brings the files into a worktree that was added without any: the story first, then the rest around
// it. A marker in the worktree's git folder says that it is not finished; killed anywhere, the same is
// done again.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import { readTextIfThere, syncFolder, writeDurably } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
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
  finishing: CheckoutRequest,
  { folder, gitDir, branch, head }: UnfinishedCheckout,
): Promise<void> {
  const git = finishing.repository.git.at(folder);
  await clearLocks(folder, { head: `refs/heads/${branch}`, gitDir });
  const marker = join(gitDir, UNFINISHED_MARKER);
  const begun = readMarker(marker);
  const source = begun ?? (await storySource(git, head, finishing));
  if (begun === undefined) writeDurably(marker, `${source}\n`);

  await git.ask(["read-tree", "HEAD"]);
  // Where the user checks out only some folders, so does Saga.
  if (existsSync(join(gitDir, "info/sparse-checkout"))) await applySparseCheckout(git);
  const hasStory = await bringStory(finishing, folder, source);
  const story = `:(top,literal)${storyFolder(finishing.storyId)}`;
  // Left out of the rest: a task that was deleted in the project must not come back, and a change that
  // was made since must not be undone.
  const leaveOut = ["rm", "-r", "--cached", "--sparse", "--ignore-unmatch", "--", story];
  const leftOut = hasStory ? await git.ask(leaveOut) : "";
  if (begun !== undefined) await rewritePartialFiles(git, finishing);
  await checkOutRest(git);
  if (leftOut !== "") await git.ask(["reset", "--quiet", "--", story]);
  rmSync(marker);
  syncFolder(gitDir);
}

function readMarker(file: string): StoryOrigin | undefined {
  const text = readTextIfThere(file)?.trim();
  if (text === undefined) return undefined;
  return text === "from the branch" ? text : "from the project";
}

async function checkOutRest(git: Git): Promise<void> {
  // Without force: what is there stays as it is, and counts as a failure.
  const { stderr } = await git.attempt(["checkout-index", "--all", "-u"]);
  if ((await git.ask(["ls-files", "--deleted", "-z"])) === "") return;
  throw new SagaError(
    "program-failed",
    `Not all files could be written to ${git.folder}: ${stderr}`,
    {
      hint: "Nothing was lost. Put right what git says, and run the command again.",
    },
  );
}

async function applySparseCheckout(git: Git): Promise<void> {
  const setting = await git.attempt(["config", "--type=bool", "core.sparseCheckout"]);
  if (setting.stdout === "true") await git.ask(["sparse-checkout", "reapply"]);
}

/**
 * Git writes a file in place: killed over it, half of it is there. Nobody has worked here yet, so
 * what differs is that; it is kept all the same, and written again.
 */
async function rewritePartialFiles(git: Git, { storyId, warn }: CheckoutRequest): Promise<void> {
  await git.attempt(["update-index", "-q", "--refresh"]);
  const differing = ["diff-files", "--quiet", "--diff-filter=MT", "--ignore-submodules"];
  if ((await git.attempt(differing)).isOk) return;
  const why = "found while a worktree was being made";
  const kept = await snapshotChanges({ git, storyId, why, exclude: [] });
  await git.ask(["checkout-index", "--force", "--all", "-u"]);
  if (kept)
    warn(
      `Files that were only partly written were written again; ${kept.ref} has them as they were.`,
    );
}

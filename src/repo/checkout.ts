// Brings the files into a worktree that was added without any.
//
// The story comes first, from the project: from then on the copy in the worktree is the true one, so
// that a change made to the story at any moment lands in the one or is carried from the other. Then
// the rest is checked out around it. A marker in the worktree's git folder says how far it is; killed
// anywhere, the same is done again.

import { existsSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../errors.ts";
import { isInside, readTextIfThere, syncFolder, writeDurably } from "../machine/files.ts";
import type { Git } from "../machine/git.ts";
import type { Base, Repository } from "./base.ts";
import { keepSnapshot } from "./keep.ts";
import { clearLocks } from "./locks.ts";
import { UNFINISHED } from "./place.ts";
import { isAncestor } from "./refs.ts";

interface Carrying {
  readonly repository: Repository;
  readonly storyId: string;
  readonly base: Base;
  readonly carryStory: (folder: string) => Promise<void>;
}

interface Finishing extends Carrying {
  readonly warn: (sentence: string) => void;
}

interface Begun {
  readonly folder: string;
  readonly gitDir: string;
  readonly branch: string;
  readonly head: string;
}

export const storyFolder = (storyId: string): string => `.saga/stories/${storyId}`;

export async function finishCheckout(
  finishing: Finishing,
  { folder, gitDir, branch, head }: Begun,
): Promise<void> {
  const git = finishing.repository.git.at(folder);
  const { storyId } = finishing;
  const marker = join(gitDir, UNFINISHED);
  await clearLocks(folder, { head: `refs/heads/${branch}`, gitDir });
  const begun = readTextIfThere(marker)?.trim();
  const storyComes = begun ?? (await whereTheStoryComesFrom(git, head, finishing));
  if (begun === undefined) writeDurably(marker, `${storyComes}\n`);
  let isCarried = false;
  if (storyComes === "from the project") {
    await carry(finishing, folder);
    isCarried = existsSync(join(folder, storyFolder(storyId), "story.json"));
  }

  await git.ask(["read-tree", "HEAD"]);
  // Where the user checks out only some folders, so does Saga.
  if (existsSync(join(gitDir, "info/sparse-checkout"))) await applySparseCheckout(git);
  const story = `:(top,literal)${storyFolder(storyId)}`;
  // A task that was deleted in the project must not come back: its story is not checked out at all.
  const leaveOut = ["rm", "-r", "--cached", "--ignore-unmatch", "--", story];
  const leftOut = isCarried ? await git.ask(leaveOut) : "";
  if (begun !== undefined) await healHalfWritten(git, finishing);
  const checkedOut = await git.attempt(["checkout-index", "--all", "-u"]);
  if ((await git.ask(["ls-files", "--deleted", "-z"])) !== "") {
    throw new SagaError(
      "program-failed",
      `Not all files could be written to ${folder}: ${checkedOut.stderr}`,
      {
        hint: "Nothing was lost. Put right what git says, and run the command again.",
      },
    );
  }
  if (leftOut !== "") await git.ask(["reset", "--quiet", "--", story]);
  rmSync(marker);
  syncFolder(gitDir);
}

/** For a worktree that is complete, on a branch that never had the story. */
export async function carryIfAbsent(carrying: Carrying, folder: string): Promise<void> {
  if (existsSync(join(folder, storyFolder(carrying.storyId), "story.json"))) return;
  const git = carrying.repository.git.at(folder);
  if (!(await hasStory(git, carrying.storyId))) await carry(carrying, folder);
}

/** On a branch with work of its own, the story that is committed there is further than the project's. */
async function whereTheStoryComesFrom(
  git: Git,
  head: string,
  { storyId, base }: Carrying,
): Promise<string> {
  const isFresh = await isAncestor(git, head, base.commit);
  return isFresh || !(await hasStory(git, storyId)) ? "from the project" : "from the branch";
}

const hasStory = async (git: Git, storyId: string): Promise<boolean> =>
  (await git.attempt(["cat-file", "-e", `HEAD:${storyFolder(storyId)}/story.json`])).isOk;

async function carry({ storyId, carryStory }: Carrying, folder: string): Promise<void> {
  const target = join(folder, storyFolder(storyId));
  if (existsSync(join(target, "story.json"))) return;
  // The branch may have a link there.
  if (!isInside(realpathSync.native(folder), target)) {
    throw new SagaError("unsafe-path", `${target} leads out of the worktree.`, {
      hint: "Replace the link by a folder, and commit that.",
    });
  }
  await carryStory(folder);
}

async function applySparseCheckout(git: Git): Promise<void> {
  const setting = await git.attempt(["config", "--type=bool", "core.sparseCheckout"]);
  if (setting.stdout === "true") await git.ask(["sparse-checkout", "reapply"]);
}

/**
 * Git writes a file in place: killed over it, half of it is there. Nobody has worked here yet, so
 * what differs is that; it is kept all the same, and written again.
 */
async function healHalfWritten(git: Git, { storyId, warn }: Finishing): Promise<void> {
  await git.attempt(["update-index", "-q", "--refresh"]);
  const differing = ["diff-files", "--quiet", "--diff-filter=MT", "--ignore-submodules"];
  if ((await git.attempt(differing)).isOk) return;
  const why = "found while a worktree was being made";
  const kept = await keepSnapshot({ git, storyId, why, exclude: [] });
  await git.ask(["checkout-index", "--force", "--all", "-u"]);
  if (kept)
    warn(
      `Files that were only partly written were written again; ${kept.ref} has them as they were.`,
    );
}

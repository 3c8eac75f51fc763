// Unregisters one worktree whose folder is gone. Staged files and commits on no branch, which only its git
// folder still holds, go into a snapshot first.

import { existsSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf, SagaError } from "../../errors.ts";
import { listNames } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import { shellWord } from "../../text/shell-quote.ts";
import type { Repository } from "../repository.ts";
import { entryAt } from "../lstat.ts";
import { copyIndex, saveSnapshot, withTemporaryIndex } from "../snapshots/snapshot.ts";
import { GIT_IS_ADDING } from "./place.ts";
import { isAncestor } from "../refs.ts";
import type { LostWorktree, Situation } from "./situation.ts";

export async function unregisterWorktree(
  repository: Repository,
  situation: Situation,
  lost: LostWorktree,
): Promise<void> {
  await snapshotStaged(repository, situation, lost);
  removeIfEmpty(lost.folder);
  // Never `prune`: it unregisters every worktree on an unmounted disk. --force only skips the lock that a git
  // killed during `worktree add` left.
  const force = lost.lock === GIT_IS_ADDING ? ["--force", "--force"] : [];
  await repository.git.ask(["worktree", "remove", ...force, "--", lost.folder]);
}

async function snapshotStaged(
  { git }: Repository,
  { storyId, local }: Situation,
  lost: LostWorktree,
): Promise<void> {
  const { head, branch } = lost;
  if (head === undefined) return;
  const staged = await stagedTree(git, lost);
  const isStaged =
    staged !== undefined && staged !== (await git.ask(["rev-parse", `${head}^{tree}`]));
  const isOnBranch =
    branch !== undefined || (local !== undefined && (await isAncestor(git, head, local)));
  if (!isStaged && isOnBranch) return;
  const why = "left in a worktree whose folder is gone";
  await saveSnapshot(git, {
    storyId,
    why,
    head,
    tree: staged ?? `${head}^{tree}`,
    index: undefined,
  });
}

/** Undefined when there is no index, or one with conflicts. An unreadable index is an error: its content would be lost. */
export async function stagedTree(
  git: Git,
  { folder, gitDir }: Pick<LostWorktree, "folder" | "gitDir">,
): Promise<string | undefined> {
  const index = join(gitDir, "index");
  if (!existsSync(index)) return undefined;
  return withTemporaryIndex(gitDir, async (file) => {
    copyIndex(index, file);
    // The other part of a split index is looked up in GIT_DIR.
    const env = { GIT_INDEX_FILE: file, GIT_DIR: gitDir };
    try {
      const hasConflicts = (await git.ask(["ls-files", "--unmerged", "-z"], { env })) !== "";
      return hasConflicts ? undefined : await git.ask(["write-tree"], { env });
    } catch (error) {
      // A stop is not a statement about the index.
      if (!(error instanceof SagaError && error.code === "program-failed")) throw error;
      const sentence = `The index of the missing worktree ${folder} cannot be read: ${messageOf(error)}`;
      throw new SagaError("not-ready", sentence, {
        hint: `If you need nothing that was staged in it, run \`git worktree remove ${shellWord(folder)}\`.`,
        cause: error,
      });
    }
  });
}

/** Git refuses to remove a worktree whose folder exists without a `.git` file. */
function removeIfEmpty(folder: string): void {
  const isFolder = entryAt(folder)?.isDirectory() ?? false;
  if (isFolder && listNames(folder).length === 0) rmdirSync(folder);
}

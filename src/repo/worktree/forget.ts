// Lets git forget one worktree whose folder is gone. What only its git folder still holds, staged
// files and commits on no branch, is kept first.

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

export async function forgetWorktree(
  repository: Repository,
  situation: Situation,
  lost: LostWorktree,
): Promise<void> {
  await snapshotStaged(repository, situation, lost);
  removeIfEmpty(lost.folder);
  // Never `prune`, which forgets every worktree on a disk that is not mounted. Force only skips the
  // lock that git left when it was killed while adding.
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

/** Nothing when there is no index, or one with conflicts in it. What cannot be read is an error: it would be lost. */
export async function stagedTree(
  git: Git,
  { folder, gitDir }: Pick<LostWorktree, "folder" | "gitDir">,
): Promise<string | undefined> {
  const index = join(gitDir, "index");
  if (!existsSync(index)) return undefined;
  return withTemporaryIndex(gitDir, async (file) => {
    copyIndex(index, file);
    // An index may be in two parts, and the other one is looked for in the git folder.
    const env = { GIT_INDEX_FILE: file, GIT_DIR: gitDir };
    try {
      const isOpen = (await git.ask(["ls-files", "--unmerged", "-z"], { env })) !== "";
      return isOpen ? undefined : await git.ask(["write-tree"], { env });
    } catch (error) {
      // Whoever was stopped says nothing about it.
      if (!(error instanceof SagaError && error.code === "program-failed")) throw error;
      const sentence = `What was staged in ${folder}, which is gone, cannot be read: ${messageOf(error)}`;
      throw new SagaError("not-ready", sentence, {
        hint: `If nothing of it is needed, run \`git worktree remove ${shellWord(folder)}\`.`,
        cause: error,
      });
    }
  });
}

/** An empty folder is in nobody's way, but in git's. */
function removeIfEmpty(folder: string): void {
  const isFolder = entryAt(folder)?.isDirectory() ?? false;
  if (isFolder && listNames(folder).length === 0) rmdirSync(folder);
}

import { join } from "node:path";
import { readOwnTextIfThere } from "../machine/files/files.ts";
import { repairLinks } from "../repo/worktree/git-links.ts";
import { pipesRemoved, removeAllPipes, removePipes } from "./remove-pipes.ts";
import type { PreparedWork } from "./context.ts";

/**
 * Undoes what the agent did to the story's files and to git's, and warns about it. Called before they are
 * used. Edits by a person during a run are undone too: nothing distinguishes them from the agent's.
 */
export function restoreGuardedFiles(
  { story, record, worktree, gitDir, request }: PreparedWork,
  { isThorough = false } = {},
): void {
  // Without this file git would act on the project that contains the worktree.
  if (gitFileOf(worktree) !== `gitdir: ${gitDir}`) {
    repairLinks(worktree, gitDir);
    record.warn("Restored the worktree's .git file.");
  }
  // Thorough before git reads every folder.
  const find = isThorough ? removeAllPipes : removePipes;
  const pipes = find(worktree, request.storyId);
  if (pipes.length > 0) record.warn(pipesRemoved(pipes));
  const names = story.restoreFiles();
  if (names.length > 0) record.warn(`Restored files of the story: ${names.join(", ")}`);
}

function gitFileOf(worktree: string): string | undefined {
  try {
    return readOwnTextIfThere(join(worktree, ".git"))?.trim();
  } catch {
    return undefined;
  }
}

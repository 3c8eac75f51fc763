import { join } from "node:path";
import { readOwnTextIfThere } from "../machine/files/files.ts";
import { repairLinks } from "../repo/worktree/git-links.ts";
import { pipesRemoved, removeAllPipes, removePipes } from "./remove-pipes.ts";
import type { PlacedWork } from "./work.ts";

/**
 * Before the story's files or git are used: whatever the agent did to them is undone, and said. A person
 * who edits them while a worker has the story is not told apart from it.
 */
export function mended(
  { definition, record, worktree, gitDir, order }: PlacedWork,
  { isThorough = false } = {},
): void {
  // Without it every git command here would mean the project around it.
  if (pointerIn(worktree) !== `gitdir: ${gitDir}`) {
    repairLinks(worktree, gitDir);
    record.warn("The worktree's .git file was put back.");
  }
  // Every folder is looked into where git is about to read all of them.
  const find = isThorough ? removeAllPipes : removePipes;
  const pipes = find(worktree, order.storyId);
  if (pipes.length > 0) record.warn(pipesRemoved(pipes));
  const names = definition.mend();
  if (names.length > 0) record.warn(`Files of the story were put back: ${names.join(", ")}`);
}

function pointerIn(worktree: string): string | undefined {
  try {
    return readOwnTextIfThere(join(worktree, ".git"))?.trim();
  } catch {
    return undefined;
  }
}

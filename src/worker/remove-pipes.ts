// Pipes and sockets under names that git or Saga reads. Git would wait for a pipe for ever, and every step of
// the worker with it. They hold nothing: what git knows of such a file stays in git. All others are left alone.

import { lstatSync, readdirSync, rmSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { ifThere } from "../machine/files/files.ts";
import { storyFolder } from "../repo/worktree/bring-story.ts";

const READ_BY_GIT: ReadonlySet<string> = new Set([".gitignore", ".gitattributes"]);
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);
/** Beyond that a look costs more than it is worth. */
const MAX_FOLDERS = 5_000;

/** Where it costs nothing: at the top, and the story's journal. The names of those that were removed. */
export const removePipes = (worktree: string, storyId: string): readonly string[] =>
  [...READ_BY_GIT, ".gitmodules", ".mailmap", `${storyFolder(storyId)}/journal.md`].filter((name) =>
    removePipe(join(worktree, name)),
  );

/** In every folder that git looks into. */
export function removeAllPipes(worktree: string, storyId: string): readonly string[] {
  const removed = [...removePipes(worktree, storyId)];
  const folders = [""];
  for (let at = 0; at < folders.length && at < MAX_FOLDERS; at++) {
    for (const entry of entriesOf(join(worktree, folders[at] ?? ""))) {
      const path = join(folders[at] ?? "", entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      if (READ_BY_GIT.has(entry.name) && removePipe(join(worktree, path))) removed.push(path);
    }
  }
  return removed;
}

export const pipesRemoved = (names: readonly string[]): string =>
  `Pipes and sockets in the place of files were removed: ${names.join(", ")}`;

/** One that cannot be listed is none of git's either. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function removePipe(path: string): boolean {
  const found = ifThere(() => lstatSync(path));
  if (!found?.isFIFO() && !found?.isSocket()) return false;
  rmSync(path, { force: true });
  return true;
}

// Removes pipes and sockets that have the name of a file that git or Saga reads. Git would wait forever for
// a pipe, and with it every step of the worker. No content is lost: a pipe has none, and git still has the
// committed file. Pipes with other names stay.

import { lstatSync, readdirSync, rmSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { ifThere } from "../machine/files/files.ts";
import { storyFolder } from "../repo/worktree/bring-story.ts";

const READ_BY_GIT: ReadonlySet<string> = new Set([".gitignore", ".gitattributes"]);
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);
/** Searching more folders costs more than it is worth. */
const MAX_FOLDERS = 5_000;

/** Only where it is cheap: at the top of the worktree, and the story's journal. Returns what was removed. */
export const removePipes = (worktree: string, storyId: string): readonly string[] =>
  [...READ_BY_GIT, ".gitmodules", ".mailmap", `${storyFolder(storyId)}/journal.md`].filter((name) =>
    removePipe(join(worktree, name)),
  );

/** In every folder that git reads. Returns what was removed. */
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
  `Removed pipes and sockets in place of files: ${names.join(", ")}`;

/** Git cannot read a folder either that cannot be listed. */
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

// Copies a story into its worktree, where the current copy is from then on. Runs under the lock of the project's copy,
// so that no concurrent change is lost.

import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  copyAndSync,
  diskError,
  ifThere,
  makeFolder,
  syncFolder,
} from "../../machine/files/files.ts";
import { diskPath, hasRawBytes, listRawNames } from "../../machine/files/raw-bytes.ts";
import { removeTree } from "../../machine/files/remove-tree.ts";
import { storiesFolder, type Layout } from "../project/layout.ts";
import { notFound, requireInside } from "../project/require.ts";
import { withFolderLock } from "./write-lock.ts";

/** Atomic. Does nothing if the worktree already has the story. */
export async function copyStoryToWorktree(
  at: Layout,
  storyId: string,
  worktree: string,
): Promise<void> {
  const from = join(storiesFolder(at), storyId);
  const to = join(worktree, ".saga", "stories", storyId);
  const isThere = (folder: string): boolean => existsSync(join(folder, "story.json"));
  if (isThere(to) || !isThere(from)) return;
  // Anyone can commit a link to a branch: it must not lead the copy outside.
  const real = ifThere(() => realpathSync.native(worktree)) ?? worktree;
  requireInside({ project: real, saga: real }, to);
  const find = (): string => {
    if (existsSync(from)) return from;
    throw notFound("story", storyId);
  };
  const folder = { name: `carry ${storyId}`, find, isStillRight: () => true };
  await withFolderLock(at, folder, () => {
    if (isThere(to)) return;
    const temporary = join(dirname(to), `.${storyId}.carried.tmp`);
    removeTree(temporary);
    try {
      copyFolder(at, from, temporary);
      renameSync(temporary, to);
      syncFolder(dirname(to));
    } catch (error) {
      removeTree(temporary);
      throw diskError(error, to);
    }
  });
}

/** Copies all files except hidden ones, which are locks and temporary files. */
export function copyFolder(at: Layout, from: string, to: string): void {
  if (hasRawBytes(to)) mkdirSync(diskPath(to));
  else makeFolder(to);
  for (const name of listRawNames(from)) {
    if (name.startsWith(".")) continue;
    const source = join(from, name);
    // A link with a name that is not UTF-8 cannot be followed.
    const entry = hasRawBytes(name) ? lstatSync(diskPath(source)) : statSync(source);
    requireInside(at, source);
    if (entry.isDirectory()) copyFolder(at, source, join(to, name));
    // Reading a pipe would never end.
    else if (entry.isFile()) copyAndSync(diskPath(source), diskPath(join(to, name)));
  }
  syncFolder(diskPath(to));
}

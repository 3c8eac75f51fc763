// A story moves into its worktree: from then on the copy there is the true one. Done under the lock of
// the project's copy, so that no change made at this very moment is left behind.

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

/** Whole or not at all. What is in the worktree already stays as it is. */
export async function carryStory(at: Layout, storyId: string, worktree: string): Promise<void> {
  const from = join(storiesFolder(at), storyId);
  const to = join(worktree, ".saga", "stories", storyId);
  const isThere = (folder: string): boolean => existsSync(join(folder, "story.json"));
  if (isThere(to) || !isThere(from)) return;
  // The files of a branch are anyone's: no link in them leads the copy elsewhere.
  const real = ifThere(() => realpathSync.native(worktree)) ?? worktree;
  requireInside({ project: real, saga: real }, to);
  const find = (): string => {
    if (existsSync(from)) return from;
    throw notFound("story", storyId);
  };
  const sought = { name: `carry ${storyId}`, find, isStillRight: () => true };
  await withFolderLock(at, sought, () => {
    if (isThere(to)) return;
    const aside = join(dirname(to), `.${storyId}.carried.tmp`);
    removeTree(aside);
    try {
      copyFolder(at, from, aside);
      renameSync(aside, to);
      syncFolder(dirname(to));
    } catch (error) {
      removeTree(aside);
      throw diskError(error, to);
    }
  });
}

/** Every byte of it, without locks and temporary files. */
export function copyFolder(at: Layout, from: string, to: string): void {
  if (hasRawBytes(to)) mkdirSync(diskPath(to));
  else makeFolder(to);
  for (const name of listRawNames(from)) {
    if (name.startsWith(".")) continue;
    const source = join(from, name);
    // Where a link leads is only known of a name that can be read.
    const entry = hasRawBytes(name) ? lstatSync(diskPath(source)) : statSync(source);
    requireInside(at, source);
    if (entry.isDirectory()) copyFolder(at, source, join(to, name));
    // Reading a pipe would never end.
    else if (entry.isFile()) copyAndSync(diskPath(source), diskPath(join(to, name)));
  }
  syncFolder(diskPath(to));
}

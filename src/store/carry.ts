// A story moves into its worktree: from then on the copy there is the true one. Done under the lock of
// the project's copy, so that no change made at this very moment is left behind.

import { existsSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  copyAndSync,
  diskError,
  ifThere,
  listFolder,
  makeFolder,
  syncFolder,
} from "../machine/files.ts";
import { storiesFolder, type Layout } from "./layout.ts";
import { notFound, requireInside } from "./require.ts";
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
    rmSync(aside, { recursive: true, force: true });
    try {
      copyFolder(at, from, aside);
      renameSync(aside, to);
      syncFolder(dirname(to));
    } catch (error) {
      rmSync(aside, { recursive: true, force: true });
      throw diskError(error, to);
    }
  });
}

/** Every byte of it, without locks and temporary files. */
export function copyFolder(at: Layout, from: string, to: string): void {
  makeFolder(to);
  for (const { name } of listFolder(from)) {
    if (name.startsWith(".")) continue;
    const source = join(from, name);
    requireInside(at, source);
    if (statSync(source).isDirectory()) copyFolder(at, source, join(to, name));
    else copyAndSync(source, join(to, name));
  }
  syncFolder(to);
}

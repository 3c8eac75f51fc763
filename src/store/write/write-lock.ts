// Locks for changes to `.saga`. A change of one file locks its folder; a change of several locks `.saga` and then
// those folders.

import { dirname } from "node:path";
import { makeFolder } from "../../machine/files/files.ts";
import {
  lockFolder,
  releaseLock,
  tryLock,
  untilFree,
  type FolderLock,
} from "../../machine/files/folder-lock.ts";
import type { Layout, WriteLock } from "../project/layout.ts";
import { finishTransaction, hasTransaction } from "./transaction.ts";

/** A folder that may move. */
export interface SearchedFolder {
  /** Distinguishes it from others of the project. */
  readonly name: string;
  readonly find: () => string;
  /** Asked under the lock: until then the folder may have moved. */
  readonly isStillRight: (folder: string) => boolean;
}

/** For a change of one file. */
export async function withFolderLock<T>(
  at: Layout,
  searched: SearchedFolder,
  act: (lock: WriteLock) => T | Promise<T>,
): Promise<T> {
  const key = `${at.saga}\n${searched.name}`;
  for (;;) {
    const folder = lastFound.get(key) ?? searched.find();
    const lock = await lockFolder(folder);
    if (lock !== undefined) {
      const write = writeLock(at, lock);
      try {
        // A committed change must be finished before the next change of its files.
        if (!hasTransaction(at) && searched.isStillRight(folder)) {
          lastFound.set(key, folder);
          return await act(write);
        }
      } finally {
        releaseLock(write);
      }
      await settle(at);
    }
    lastFound.delete(key);
  }
}

const lastFound = new Map<string, string>();

/**
 * For a change of several files. `findFolders` names those that exist and will be written to. Holds nothing while it
 * waits: when one folder is locked by another process, it releases all and starts again.
 */
export async function withProjectLock<T>(
  at: Layout,
  findFolders: () => readonly string[],
  act: (lock: WriteLock) => T | Promise<T>,
): Promise<T> {
  makeFolder(at.saga);
  for (;;) {
    const project = await lockFolder(at.saga);
    if (project === undefined) continue;
    const write = writeLock(at, project);
    const held: FolderLock[] = [write];
    let busy: string | undefined;
    try {
      if (hasTransaction(at)) finishTransaction(at);
      for (const folder of new Set(findFolders())) {
        const attempt = tryLock(folder);
        if (attempt === "held") busy ??= folder;
        else if (attempt) held.push(attempt);
      }
      // Folders may have moved before all locks were taken.
      const locked = new Set(held.map((lock) => dirname(lock.file)));
      if (busy === undefined && findFolders().every((folder) => locked.has(folder))) {
        return await act(write);
      }
    } finally {
      held.forEach(releaseLock);
    }
    if (busy !== undefined) await untilFree(busy);
  }
}

/** Finishes a change that its writer committed but did not finish, so that readers never see half of it. */
export async function settle(at: Layout): Promise<void> {
  while (hasTransaction(at)) {
    await withProjectLock(
      at,
      () => [],
      () => undefined,
    );
  }
}

const writeLock = (at: Layout, lock: FolderLock): WriteLock => ({ ...at, ...lock });

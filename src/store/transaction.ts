// Several files changed as one.
//
// The new contents are written aside, whole and synced, then a list of moves: from the moment the
// list is there, the change has happened. Moving the files into place can be repeated any number of
// times, so a crash in the middle is finished by whoever comes next.
//
// Everything here runs under the project's write lock.

import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import * as z from "zod";
import { SagaError } from "../errors.ts";
import {
  diskError,
  fillAndSync,
  makeFolder,
  readTextIfThere,
  requireWritable,
  syncFolder,
  writeAndSync,
} from "../machine/files.ts";
import { transactionFolder, type Layout, type WriteLock } from "./layout.ts";
import { requireInside, requireLockInside } from "./require.ts";

export interface FileChange {
  readonly path: string;
  readonly text: string;
}

const movesSchema = z.array(z.object({ from: z.string(), to: z.string() }));

/** All of it or, when this throws, none of it. The last thing to do with a lock. */
export function commit(lock: WriteLock, changes: readonly FileChange[]): void {
  const [only] = changes;
  if (only === undefined) return;
  if (changes.length === 1 && dirname(only.path) === dirname(lock.file)) {
    requireLockInside(lock);
    return moveIntoPlace(lock, only);
  }
  for (const { path } of changes) requireInside(lock, path);
  for (const { path } of changes) requireWritable(path);
  try {
    writeMoves(lock, changes);
  } catch (error) {
    rmSync(transactionFolder(lock), { recursive: true, force: true });
    throw writeError(error, lock, lock.saga);
  }
  finishTransaction(lock);
}

/** The lock becomes the file. */
function moveIntoPlace(lock: WriteLock, { path, text }: FileChange): void {
  try {
    fillAndSync(lock.handle, text);
    renameSync(lock.file, path);
    lock.isSpent = true;
  } catch (error) {
    throw writeError(error, lock, path);
  }
  syncFolder(dirname(path));
}

function writeError(error: unknown, lock: WriteLock, path: string): unknown {
  if (existsSync(lock.file)) return diskError(error, path);
  return new SagaError("in-use", "Another process took the write lock over in the meantime.", {
    hint: "Run the command again; nothing was changed.",
    cause: error,
  });
}

/** Whether an earlier commit was cut off. */
export const hasTransaction = (at: Layout): boolean => existsSync(transactionFolder(at));

/** Completes a commit that was decided; clears one away that was not. */
export function finishTransaction(at: Layout): void {
  const folder = transactionFolder(at);
  const list = readTextIfThere(movesFile(at));
  const moves = list === undefined ? [] : movesSchema.parse(JSON.parse(list));
  const folders = new Set<string>();
  for (const { from, to } of moves) {
    const target = join(at.saga, to);
    if (!existsSync(join(folder, from))) continue;
    requireInside(at, target);
    makeFolder(dirname(target));
    renameSync(join(folder, from), target);
    folders.add(dirname(target));
  }
  for (const one of folders) syncFolder(one);
  rmSync(movesFile(at), { force: true });
  rmSync(folder, { recursive: true, force: true });
}

const movesFile = (at: Layout): string => join(transactionFolder(at), "moves.json");

function writeMoves(lock: WriteLock, changes: readonly FileChange[]): void {
  const folder = transactionFolder(lock);
  makeFolder(folder);
  const moves = changes.map(({ path, text }, index) => {
    writeAndSync(join(folder, String(index)), text);
    return { from: String(index), to: relative(lock.saga, path) };
  });
  // It is written into the lock first: without a lock there is no deciding.
  fillAndSync(lock.handle, JSON.stringify(moves));
  linkSync(lock.file, movesFile(lock));
  syncFolder(folder);
}

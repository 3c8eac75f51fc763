// Changes several files as one.
//
// The new contents are written to a temporary folder and synced, with a list of moves. Renaming that folder to
// `transaction` is the commit: from then on the change has happened. Moving the files into place needs no disk space
// and can be repeated, so the next process finishes what a crash interrupted. Everything here runs under the
// project's lock.

import { existsSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { SagaError } from "../../errors.ts";
import {
  diskError,
  fillAndSync,
  ifThere,
  makeFolder,
  readText,
  readTextIfThere,
  requireWritable,
  syncFolder,
  writeAndSync,
} from "../../machine/files/files.ts";
import { CHANGE_COUNTER } from "../leases/lease-names.ts";
import { leasesFolder, transactionFolder, type Layout, type WriteLock } from "../project/layout.ts";
import { requireInside, requireLockInside } from "../project/require.ts";

export interface FileChange {
  readonly path: string;
  readonly text: string;
}

/** Writes all changes or, if it throws, none. The last use of the lock. */
export function commit(lock: WriteLock, changes: readonly FileChange[]): void {
  const [only] = changes;
  if (only === undefined) return;
  if (changes.length === 1 && dirname(only.path) === dirname(lock.file)) {
    requireLockInside(lock);
    return moveIntoPlace(lock, only);
  }
  for (const { path } of changes) {
    requireInside(lock, path);
    requireWritable(path);
    if (ifThere(() => lstatSync(path))?.isDirectory()) throw isFolder(path);
  }
  prepareAndCommit(lock, changes);
  finishTransaction(lock);
}

/** Whether a committed change is not finished yet. */
export const hasTransaction = (at: Layout): boolean => existsSync(transactionFolder(at));

/**
 * Moves the files of a committed change into place. The list of moves is not trusted: a repository may contain one,
 * and it must only reach definitions.
 */
export function finishTransaction(at: Layout): void {
  const folder = transactionFolder(at);
  const moves = readMoves(folder);
  try {
    beginChange(at);
    const touched = new Set<string>();
    for (const { from, to } of moves) {
      const [source, target] = [join(folder, from), join(at.saga, to)];
      const found = ifThere(() => lstatSync(source));
      if (!found || (!found.isFile() && !found.isDirectory())) continue;
      requireInside(at, target);
      makeFolder(dirname(target));
      renameSync(source, target);
      touched.add(dirname(target));
    }
    for (const one of touched) syncFolder(one);
  } catch (error) {
    throw notFinished(error, at);
  }
  rmSync(folder, { recursive: true, force: true });
  endChange(at);
}

/**
 * Increases with every change of several files, and is odd during one: a reader that sees two different numbers, or
 * an odd one, reads again.
 */
export const changeCount = (at: Layout): number =>
  Number(ifThere(() => readText(countFile(at))) ?? 0);

export function beginChange(at: Layout): void {
  const count = changeCount(at);
  makeFolder(leasesFolder(at));
  // Already odd: the last writer died during its change.
  writeFileSync(countFile(at), String(count % 2 === 0 ? count + 1 : count + 2));
}

export const endChange = (at: Layout): void =>
  writeFileSync(countFile(at), String(changeCount(at) + 1));

const countFile = (at: Layout): string => join(leasesFolder(at), CHANGE_COUNTER);

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

function prepareAndCommit(lock: WriteLock, changes: readonly FileChange[]): void {
  // Named like the lock, so that no other process uses it.
  const temporary = join(lock.saga, basename(lock.file).replace(/^\.write/, ".transaction"));
  try {
    prepare(lock, temporary, changes);
    if (!existsSync(lock.file)) throw lockLost();
    // Before the commit, because its file may not fit on the disk.
    beginChange(lock);
    renameSync(temporary, transactionFolder(lock));
    syncFolder(lock.saga);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw writeError(error, lock, lock.saga);
  }
}

/** A new folder is prepared completely and moved in one step. */
function prepare(lock: WriteLock, temporary: string, changes: readonly FileChange[]): void {
  const moves: Move[] = [];
  const add = (path: string): string => {
    const from = String(moves.length);
    moves.push({ from, to: relative(lock.saga, path) });
    return join(temporary, from);
  };
  makeFolder(temporary);
  const newFolders = new Map<string, string>();
  for (const { path, text } of changes) {
    const folder = dirname(path);
    if (existsSync(folder)) {
      writeAndSync(add(path), text);
      continue;
    }
    makeFolder(dirname(folder));
    const prepared = newFolders.get(folder) ?? add(folder);
    newFolders.set(folder, prepared);
    makeFolder(prepared);
    writeAndSync(join(prepared, basename(path)), text);
  }
  for (const folder of newFolders.values()) syncFolder(folder);
  writeAndSync(join(temporary, MOVES), JSON.stringify(moves));
  syncFolder(temporary);
}

const MOVES = "moves.json";

const STORY_FILE = String.raw`stories/[a-z0-9-]+(?:/(?:[a-z0-9-]+\.json|journal\.md))?`;
const MOVABLE = new RegExp(
  String.raw`^(?:config\.toml|\.gitignore|epics/[a-z0-9-]+(?:/epic\.json)?|${STORY_FILE}|worktrees/(?:[a-z0-9-]+/){1,2}\.saga/${STORY_FILE})$`,
);

interface Move {
  readonly from: string;
  readonly to: string;
}

function readMoves(folder: string): readonly Move[] {
  const file = join(folder, MOVES);
  try {
    if (!lstatSync(folder).isDirectory()) throw new Error("not a folder");
    const moves: unknown = JSON.parse(readTextIfThere(file) ?? "[]");
    if (Array.isArray(moves) && moves.every(isMove)) return moves;
    throw new Error("unexpected moves");
  } catch (error) {
    throw new SagaError("bad-file", `The record of an unfinished change is invalid: ${file}.`, {
      hint: `Save the files that you need from ${folder}, and delete it.`,
      cause: error,
    });
  }
}

/** Without a schema: a hook script may finish the change, and loads no package. */
function isMove(value: unknown): value is Move {
  if (typeof value !== "object" || value === null) return false;
  const { from, to } = value as Record<string, unknown>;
  return (
    typeof from === "string" && /^\d+$/.test(from) && typeof to === "string" && MOVABLE.test(to)
  );
}

function writeError(error: unknown, lock: WriteLock, path: string): unknown {
  return existsSync(lock.file) || error instanceof SagaError
    ? diskError(error, path)
    : lockLost(error);
}

const lockLost = (cause?: unknown): SagaError =>
  new SagaError("in-use", "Another process took over the write lock.", {
    hint: "Run the command again. Nothing was changed.",
    cause,
  });

const isFolder = (path: string): SagaError =>
  new SagaError("not-writable", `Cannot write ${path}: it is a folder.`, {
    hint: "Move it away and run the command again. Nothing was changed.",
  });

const notFinished = (cause: unknown, at: Layout): SagaError =>
  new SagaError("not-writable", `A change of several files in ${at.saga} is not finished.`, {
    hint: "Check the disk and its permissions. The next command that writes finishes the change.",
    cause,
  });

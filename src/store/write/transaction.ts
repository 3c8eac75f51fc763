// Several files changed as one.
//
// The new contents are written aside, whole and synced, with a list of moves. Renaming that folder to
// `transaction` is the decision: from then on the change has happened. Moving the files into place
// needs no space and can be repeated any number of times, so a crash in the middle is finished by
// whoever comes next. Everything here runs under the project's lock.

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

/** All of it or, when this throws, none of it. The last thing to do with a lock. */
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
    if (ifThere(() => lstatSync(path))?.isDirectory()) throw inTheWay(path);
  }
  decide(lock, changes);
  finishTransaction(lock);
}

/** Whether an earlier commit was cut off. */
export const hasTransaction = (at: Layout): boolean => existsSync(transactionFolder(at));

/**
 * Puts what was decided into place. The list is looked at as if a stranger had written it: a
 * repository may bring one along, and it must not reach anything but definitions.
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
 * Moves on with every change of several files, and is odd while one is being made: a reader that
 * sees two numbers, or an odd one, reads again.
 */
export const changeCount = (at: Layout): number =>
  Number(ifThere(() => readText(countFile(at))) ?? 0);

export function beginChange(at: Layout): void {
  const count = changeCount(at);
  makeFolder(leasesFolder(at));
  // Odd already: whoever made the last one died over it.
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

function decide(lock: WriteLock, changes: readonly FileChange[]): void {
  // Named like the lock, so that nobody else ever works in it.
  const aside = join(lock.saga, basename(lock.file).replace(/^\.write/, ".transaction"));
  try {
    prepare(lock, aside, changes);
    // Without a lock there is no deciding; and it fails where another decision waits.
    if (!existsSync(lock.file)) throw lockLost();
    // Its file is made now, while there may still be no room for it.
    beginChange(lock);
    renameSync(aside, transactionFolder(lock));
    syncFolder(lock.saga);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    throw writeError(error, lock, lock.saga);
  }
}

/** A folder that is not there yet is prepared whole, and moved in one step. */
function prepare(lock: WriteLock, aside: string, changes: readonly FileChange[]): void {
  const moves: Move[] = [];
  const add = (path: string): string => {
    const from = String(moves.length);
    moves.push({ from, to: relative(lock.saga, path) });
    return join(aside, from);
  };
  makeFolder(aside);
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
  writeAndSync(join(aside, MOVES), JSON.stringify(moves));
  syncFolder(aside);
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
    throw new Error("moves that nobody makes");
  } catch (error) {
    throw new SagaError("bad-file", `${file} is not a list of moves that Saga has made.`, {
      hint: `Look at ${folder}, save what you need from it, and remove it.`,
      cause: error,
    });
  }
}

/** By hand: a hook script may be who finishes the change, and loads no package. */
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
    hint: "Run the command again; nothing was changed.",
    cause,
  });

const inTheWay = (path: string): SagaError =>
  new SagaError("not-writable", `A folder is in the way of ${path}.`, {
    hint: "Move it away and run the command again; nothing was changed.",
  });

const notFinished = (cause: unknown, at: Layout): SagaError =>
  new SagaError("not-writable", `A change that is decided is not all in place in ${at.saga} yet.`, {
    hint: "Check the disk and its permissions: the next saga command that writes finishes it.",
    cause,
  });

// Several files changed as one.
//
// The new contents are written aside, whole and synced, then a list of moves: from the moment the
// list is there, the change has happened. Moving the files into place can be repeated any number of
// times, so a crash in the middle is finished by whoever comes next.
//
// Everything here runs under the project's write lock.

import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import * as z from "zod";
import {
  diskError,
  makeFolder,
  readTextIfThere,
  requireWritable,
  syncFolder,
  writeAndSync,
  writeDurably,
} from "../machine/files.ts";
import { transactionFolder, type Layout } from "./layout.ts";
import { requireInside } from "./require.ts";

export interface FileChange {
  readonly path: string;
  readonly text: string;
}

const movesSchema = z.array(z.object({ from: z.string(), to: z.string() }));

/** All of it or, when this throws, none of it. */
export function commit(at: Layout, changes: readonly FileChange[]): void {
  for (const { path } of changes) {
    requireInside(at, path);
    requireWritable(path);
  }
  const [only] = changes;
  if (only && changes.length === 1 && existsSync(dirname(only.path))) {
    writeDurably(only.path, only.text);
    return;
  }
  if (changes.length === 0) return;
  try {
    writeMoves(at, changes);
  } catch (error) {
    rmSync(transactionFolder(at), { recursive: true, force: true });
    throw diskError(error, at.saga);
  }
  finishTransaction(at);
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

function writeMoves(at: Layout, changes: readonly FileChange[]): void {
  const folder = transactionFolder(at);
  makeFolder(folder);
  const moves = changes.map(({ path, text }, index) => {
    writeAndSync(join(folder, String(index)), text);
    return { from: String(index), to: relative(at.saga, path) };
  });
  // The list becomes visible and durable together with the files beside it.
  writeDurably(movesFile(at), JSON.stringify(moves));
}

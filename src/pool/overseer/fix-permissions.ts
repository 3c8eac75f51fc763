// Fixes permissions without a model: a task file, or the list's folder, that its owner may not read or write.

import { chmodSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { ifThere } from "../../machine/files/files.ts";
import type { PoolProblem } from "../../tasks/problem.ts";

/** Returns whether anything was changed. Only for files in the list that are not links and belong to this user. */
export function fixPermissions(list: string, { kind, file }: PoolProblem): boolean {
  if (kind !== "unreadable" && kind !== "write-failed") return false;
  const folder = addBits(list, 0o700);
  const isInList = file !== undefined && dirname(file) === list;
  return (isInList && addBits(file, 0o600)) || folder;
}

function addBits(path: string, bits: number): boolean {
  const stats = ifThere(() => lstatSync(path));
  const isOwn = stats !== undefined && stats.uid === process.getuid?.();
  const isRightKind = bits === 0o700 ? stats?.isDirectory() : stats?.isFile();
  if (!isOwn || isRightKind !== true || (stats.mode & bits) === bits) return false;
  chmodSync(path, (stats.mode & 0o777) | bits);
  return true;
}

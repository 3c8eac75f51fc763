// What needs no model to be mended: a task file, or the folder of the list, that its own owner may not
// read or write.

import { chmodSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { ifThere } from "../../machine/files/files.ts";
import type { PoolProblem } from "../../tasks/problem.ts";

/** Whether anything was changed. Only what lies in the list, is no link and belongs to this user. */
export function mendPermissions(list: string, { kind, file }: PoolProblem): boolean {
  if (kind !== "unreadable" && kind !== "write-failed") return false;
  const folder = give(list, 0o700);
  const isInList = file !== undefined && dirname(file) === list;
  return (isInList && give(file, 0o600)) || folder;
}

function give(path: string, bits: number): boolean {
  const stats = ifThere(() => lstatSync(path));
  const isOwn = stats !== undefined && stats.uid === process.getuid?.();
  const isRight = bits === 0o700 ? stats?.isDirectory() : stats?.isFile();
  if (!isOwn || isRight !== true || (stats.mode & bits) === bits) return false;
  chmodSync(path, (stats.mode & 0o777) | bits);
  return true;
}

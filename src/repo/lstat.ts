// What is at a path, without following a symlink at its end.

import { lstatSync, type Stats } from "node:fs";
import { errorCode } from "../machine/files/files.ts";
import { diskPath } from "../machine/files/raw-bytes.ts";

/** Undefined if nothing is there, or if a parent folder is a file. */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(diskPath(path));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

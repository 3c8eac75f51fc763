// What is at a path, without following a link at its end.

import { lstatSync, type Stats } from "node:fs";
import { errorCode } from "../machine/files/files.ts";
import { diskPath } from "../machine/files/raw-bytes.ts";

/** Nothing also where a file is in the place of a folder on the way. */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(diskPath(path));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

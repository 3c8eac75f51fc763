// A folder with everything in it, removed whatever its files are called. Node's own `rmSync` reads names as UTF-8: a
// file whose name is not UTF-8 is not found again by that name, and stays.

import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { sep } from "node:path";
import { errorCode } from "./files.ts";

/** Nothing happens where nothing is. A link is removed, not what it leads to. */
export function removeTree(path: string | Buffer): void {
  try {
    if (lstatSync(path).isDirectory()) removeFolder(path);
    else unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

function removeFolder(folder: string | Buffer): void {
  try {
    empty(folder);
  } catch (error) {
    if (errorCode(error) !== "EACCES") throw error;
    // A folder that its owner may not write to keeps its files: Go's module cache is made of such.
    chmodSync(folder, 0o700);
    empty(folder);
  }
  rmdirSync(folder);
}

function empty(folder: string | Buffer): void {
  for (const name of readdirSync(folder, { encoding: "buffer" })) {
    removeTree(Buffer.concat([Buffer.from(folder), Buffer.from(sep), name]));
  }
}

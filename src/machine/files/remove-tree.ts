// Removes by the bytes of names: Node's `rmSync` reads them as UTF-8 and leaves other files behind.

import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { sep } from "node:path";
import { errorCode } from "./files.ts";

/** Removes a file, a folder or a link itself. Succeeds when nothing is there. */
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
    // Files in a read-only folder cannot be removed: Go's module cache has such folders.
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

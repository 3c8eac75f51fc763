// Reads only regular files and links to them: opening a pipe waits for its writer, and reading a device may never end.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

export const readRegularFile = (path: string, mostBytes?: number): string =>
  readRegularBytes(path, mostBytes).toString();

export function readRegularBytes(path: string, mostBytes = Infinity): Buffer {
  const file = openSync(path, constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    // Reading a folder fails with EISDIR, which says more.
    if (!stat.isFile() && !stat.isDirectory()) throw fileError(path, NOT_A_FILE);
    if (stat.size > mostBytes) throw fileError(path, TOO_LARGE);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

export const fileError = (path: string, code: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code });

/** The codes that the system itself uses, for opening a socket and for a file that is too large. */
export const NOT_A_FILE = "ENXIO";
export const TOO_LARGE = "EFBIG";

// Files that someone else may have put there, and that may be anything. Opening a pipe waits for whoever writes into
// it, and reading a device may never end: only what is a regular file, or a link to one, is read.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** A larger file is an error too. */
export const readPlainFile = (path: string, mostBytes?: number): string =>
  readPlainBytes(path, mostBytes).toString();

export function readPlainBytes(path: string, mostBytes = Infinity): Buffer {
  // For reading, which is 0.
  const file = openSync(path, constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    // Reading a folder fails by itself.
    if (!stat.isFile() && !stat.isDirectory()) throw fileFault(path, NOT_A_FILE);
    if (stat.size > mostBytes) throw fileFault(path, TOO_LARGE);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

export const fileFault = (path: string, code: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code });

/** What the system itself says of a socket that is opened, and of a file that is too big. */
export const NOT_A_FILE = "ENXIO";
export const TOO_LARGE = "EFBIG";

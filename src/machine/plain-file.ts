// A file that someone else may have put there, and that may be anything.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { errorCode, readFault } from "./files.ts";

/**
 * Only what is a plain file, or a link to one, and no larger than that. A pipe, a socket or a device may
 * never end, and opening one may wait for ever.
 */
export function readPlainFile(path: string, mostBytes: number): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (stat.isDirectory()) throw notPlain(path, "EISDIR", "is a folder");
    if (!stat.isFile()) throw notPlain(path, NOT_A_FILE, "is no file");
    if (stat.size > mostBytes) throw notPlain(path, TOO_LARGE, "is too large");
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** As the end of a sentence. */
export function plainFileFault(error: unknown): string {
  switch (errorCode(error)) {
    // A socket cannot even be opened.
    case "ENXIO":
    case NOT_A_FILE:
      return "is no file";
    case TOO_LARGE:
      return "is too large";
    default:
      return readFault(error);
  }
}

const NOT_A_FILE = "NOT_A_FILE";
const TOO_LARGE = "TOO_LARGE";

const notPlain = (path: string, code: string, what: string): Error =>
  Object.assign(new Error(`${path} ${what}`), { code });

// Whole lines of a log, by offset in bytes. What stands behind the last line break is not written to its
// end yet, and is left for the next time.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isInside } from "../../machine/files/files.ts";
import { eventIn } from "../../store/runs/runs.ts";
import type { RunEvent } from "../../story/state/run.ts";

export interface Lines {
  readonly events: readonly RunEvent[];
  /** Where they begin, and where to read on. */
  readonly from: number;
  readonly next: number;
}

/** So much at once: more is fetched when this has been sent. */
const CHUNK_BYTES = 256 * 1024;

/** The next lines from there; none when the file is not there. */
export function readLines(path: string, from: number): Lines {
  return withFile(path, (file) => linesIn(file, from)) ?? { events: [], from, next: from };
}

/** The last lines, as far as so many bytes hold them. */
export function readEnd(path: string, maxBytes: number): Lines {
  const found = withFile(path, (file) => {
    const { size } = fstatSync(file);
    const begin = Math.max(0, size - maxBytes);
    const bytes = readAt(file, begin, size - begin);
    // The first line is whole only where the file begins with it.
    const first = begin === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    return linesOf(bytes, first, begin);
  });
  return found ?? { events: [], from: 0, next: 0 };
}

const NEWLINE = 0x0a;

/** As many whole lines as a chunk holds; a line that is longer is read whole. */
export function linesIn(file: number, from: number): Lines {
  const { size } = fstatSync(file);
  for (let length = CHUNK_BYTES; ; length *= 2) {
    const bytes = readAt(file, from, Math.min(length, size - from));
    const isAll = from + bytes.length >= size;
    if (isAll || bytes.includes(NEWLINE)) return linesOf(bytes, 0, from);
  }
}

function linesOf(bytes: Buffer, first: number, offset: number): Lines {
  const end = Math.max(first, bytes.lastIndexOf(NEWLINE) + 1);
  const events = bytes
    .toString("utf8", first, end)
    .split("\n")
    .flatMap((line) => eventIn(line) ?? []);
  return { events, from: offset + first, next: offset + end };
}

export function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, length));
  let read = 0;
  while (read < bytes.length) {
    const more = readSync(file, bytes, read, bytes.length - read, offset + read);
    if (more === 0) break;
    read += more;
  }
  return bytes.subarray(0, read);
}

/** A pipe would be waited for. */
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Nothing for what cannot be opened, is reached over a link, which may lead anywhere, or is no file. */
export function openLog(path: string): number | undefined {
  if (!isInside(path, path)) return undefined;
  const file = ifItCan(() => openSync(path, AS_IT_IS));
  if (file === undefined || fstatSync(file).isFile()) return file;
  closeSync(file);
  return undefined;
}

/** A log that is closed to us is one log less: the dashboard has others to show. */
export function ifItCan<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

function withFile<T>(path: string, look: (file: number) => T): T | undefined {
  const file = openLog(path);
  if (file === undefined) return undefined;
  try {
    return look(file);
  } finally {
    closeSync(file);
  }
}

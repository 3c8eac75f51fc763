// Reads whole lines of a log, by byte offset. Text after the last line break is still being written, and is left
// for the next read.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isInside } from "../../machine/files/files.ts";
import { eventIn } from "../../store/runs/runs.ts";
import type { RunEvent } from "../../story/state/run.ts";

export interface Lines {
  readonly events: readonly RunEvent[];
  /** Byte offsets of the first line and of the next read. */
  readonly from: number;
  readonly next: number;
}

/** Read at once; the rest follows when this has been sent. */
const CHUNK_BYTES = 256 * 1024;

/** The lines from an offset. Empty if the file does not exist. */
export function readLines(path: string, from: number): Lines {
  return withFile(path, (file) => linesIn(file, from)) ?? { events: [], from, next: from };
}

/** The whole lines within the last `maxBytes`. */
export function readEnd(path: string, maxBytes: number): Lines {
  const found = withFile(path, (file) => {
    const { size } = fstatSync(file);
    const begin = Math.max(0, size - maxBytes);
    const bytes = readAt(file, begin, size - begin);
    // The first line may be cut, unless it is the start of the file.
    const first = begin === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    return linesOf(bytes, first, begin);
  });
  return found ?? { events: [], from: 0, next: 0 };
}

const NEWLINE = 0x0a;

/** The whole lines of a chunk. The chunk grows for a line that is longer. */
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

/** Non-blocking: opening a named pipe would wait for its writer. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Undefined if it cannot be opened, is not a regular file, or its path contains a link, which may lead anywhere. */
export function openLog(path: string): number | undefined {
  if (!isInside(path, path)) return undefined;
  const file = unlessError(() => openSync(path, OPEN_FLAGS));
  if (file === undefined || fstatSync(file).isFile()) return file;
  closeSync(file);
  return undefined;
}

/** Undefined on error: one unreadable log must not stop the dashboard. */
export function unlessError<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

function withFile<T>(path: string, read: (file: number) => T): T | undefined {
  const file = openLog(path);
  if (file === undefined) return undefined;
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}

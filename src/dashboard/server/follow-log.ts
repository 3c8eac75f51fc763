// Follows one log. Its only state is the offset after the last whole line: what was not sent is still in the
// file, so no line is lost or read twice.
//
// The file is kept open. When another file replaces it, the old one is read to its end first. A file that was
// truncated, or that has no line break before the offset, is read from its start.

import { closeSync, fstatSync, statSync } from "node:fs";
import { unlessError, linesIn, openLog, readAt, type Lines } from "./log-lines.ts";

export interface LogFollow {
  /** Reads new lines while the listener can send them. */
  readonly read: () => void;
  /** Reads if the last read stopped because the listener could not send. */
  readonly resume: () => void;
  readonly close: () => void;
}

export interface LogListeners {
  readonly canSend: () => boolean;
  readonly onLines: (lines: Lines) => void;
}

export function followLog(
  path: string,
  from: number,
  { canSend, onLines }: LogListeners,
): LogFollow {
  let offset = from;
  let file: number | undefined;
  let isClosed = false;
  let isPaused = false;

  /** Returns whether to read again. */
  const step = (): boolean => {
    isPaused = !isClosed && !canSend();
    if (isClosed || isPaused) return false;
    file ??= openLog(path);
    if (file === undefined) return false;
    const wasReplaced = isReplaced(file, path);
    if (!isContinued(file, offset)) offset = 0;
    const lines = linesIn(file, offset);
    offset = lines.next;
    if (lines.events.length > 0) onLines(lines);
    if (lines.next > lines.from) return true;
    if (wasReplaced) {
      close();
      offset = 0;
    }
    return wasReplaced;
  };
  const read = (): void => {
    while (step());
  };
  const close = (): void => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  return {
    read,
    resume: () => isPaused && read(),
    close() {
      isClosed = true;
      close();
    },
  };
}

function isReplaced(file: number, path: string): boolean {
  const now = unlessError(() => statSync(path));
  const own = fstatSync(file);
  return now !== undefined && (now.ino !== own.ino || now.dev !== own.dev);
}

/** Checks one byte: a line break before the offset means that the lines before it are still there. */
function isContinued(file: number, offset: number): boolean {
  if (offset === 0) return true;
  return readAt(file, offset - 1, 1)[0] === 0x0a;
}

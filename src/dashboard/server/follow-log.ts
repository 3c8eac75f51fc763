// Follows one log. The offset behind the last whole line is all there is to remember: whatever was not
// sent is still in the file, so that nothing is dropped, and nothing is read twice.
//
// The file is held open. When another takes its place, the old one is read to its end first. One that
// was cut short, or that has no line break where the last line ended, is begun anew.

import { closeSync, fstatSync, statSync } from "node:fs";
import { ifItCan, linesIn, openLog, readAt, type Lines } from "./log-lines.ts";

export interface LogFollow {
  /** Reads on, as far as the reader can take it. */
  readonly look: () => void;
  /** The same, when the last time there was more than it could take. */
  readonly goOn: () => void;
  readonly close: () => void;
}

export interface LogReader {
  readonly canTake: () => boolean;
  readonly onLines: (lines: Lines) => void;
}

export function followLog(path: string, from: number, { canTake, onLines }: LogReader): LogFollow {
  let offset = from;
  let file: number | undefined;
  let isClosed = false;
  let hasMore = false;

  /** Whether there may be more, and someone to take it. */
  const step = (): boolean => {
    hasMore = !isClosed && !canTake();
    if (isClosed || hasMore) return false;
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
  const look = (): void => {
    while (step());
  };
  const close = (): void => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  return {
    look,
    goOn: () => hasMore && look(),
    close() {
      isClosed = true;
      close();
    },
  };
}

function isReplaced(file: number, path: string): boolean {
  const now = ifItCan(() => statSync(path));
  const own = fstatSync(file);
  return now !== undefined && (now.ino !== own.ino || now.dev !== own.dev);
}

/** Whether what was read is still there in front of the offset, as far as one byte can tell. */
function isContinued(file: number, offset: number): boolean {
  if (offset === 0) return true;
  return readAt(file, offset - 1, 1)[0] === 0x0a;
}

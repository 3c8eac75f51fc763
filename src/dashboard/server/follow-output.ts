// Follows the output of the check that a lane runs now. The file is emptied when the next check starts; a file that is
// shorter than before is read from its start. Only its end is sent first: a suite may print megabytes.

import { closeSync, fstatSync } from "node:fs";
import { openLog, readAt } from "./log-lines.ts";

export interface OutputChunk {
  /** Replaces what was sent before. */
  readonly isStart: boolean;
  readonly text: string;
}

export interface OutputFollow {
  /** Reads what was added while the listener can send it. */
  readonly read: () => void;
  readonly resume: () => void;
}

interface OutputListeners {
  readonly canSend: () => boolean;
  readonly onOutput: (chunk: OutputChunk) => void;
}

const CHUNK_BYTES = 64 * 1024;

export function followOutput(path: string, { canSend, onOutput }: OutputListeners): OutputFollow {
  let offset: number | undefined;
  let decoder = new TextDecoder();
  let isPaused = false;

  /** Returns whether to read again. */
  const step = (): boolean => {
    isPaused = !canSend();
    if (isPaused) return false;
    const read = readFrom(path, offset);
    const isStart = offset === undefined || read.from !== offset;
    if (isStart) decoder = new TextDecoder();
    offset = read.from + read.bytes.length;
    const text = decoder.decode(read.bytes, { stream: true });
    if (text !== "" || isStart) onOutput({ isStart, text });
    return read.bytes.length > 0;
  };
  const read = (): void => {
    while (step());
  };
  return { read, resume: () => isPaused && read() };
}

/** A missing file is an empty one: no check has run yet. */
function readFrom(path: string, offset: number | undefined): { from: number; bytes: Buffer } {
  const file = openLog(path);
  if (file === undefined) return { from: 0, bytes: Buffer.alloc(0) };
  try {
    const { size } = fstatSync(file);
    const isContinued = offset !== undefined && offset <= size;
    const from = isContinued ? offset : Math.max(0, size - CHUNK_BYTES);
    return { from, bytes: readAt(file, from, Math.min(CHUNK_BYTES, size - from)) };
  } finally {
    closeSync(file);
  }
}

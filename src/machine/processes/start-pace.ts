// How fast workers may start. A start takes about a second of a processor, for the worker and its agent: thirty at once on
// two processors keep each other from their caches and end later than when each waits for an idle processor.

import { cpus } from "node:os";

export interface StartPace {
  /** How many may start now. */
  readonly room: () => number;
  readonly started: () => void;
}

/** Of all processors together. */
export interface ProcessorTimes {
  readonly processors: number;
  readonly idleMs: number;
}

/** Ask again after this time. */
export const PACE_MS = 250;
/** On a machine that is busy with other things, each processor gets a worker after this time. */
const BUSY_START_MS = 1_500;
/** Less is the moment between two processes. */
const IDLE_SHARE = 0.15;

export function newStartPace(
  nowMs: () => number = () => performance.now(),
  readTimes: () => ProcessorTimes = processorTimes,
): StartPace {
  let last: { readonly atMs: number; readonly idleMs: number } | undefined;
  let startedAtMs = Number.NEGATIVE_INFINITY;
  return {
    room() {
      const atMs = nowMs();
      if (last !== undefined && atMs - last.atMs < PACE_MS) return 0;
      const { processors, idleMs } = readTimes();
      const isIdle =
        last === undefined || idleMs - last.idleMs > IDLE_SHARE * processors * (atMs - last.atMs);
      last = { atMs, idleMs };
      if (isIdle) return processors;
      return atMs - startedAtMs >= BUSY_START_MS / processors ? 1 : 0;
    },
    started: () => void (startedAtMs = nowMs()),
  };
}

function processorTimes(): ProcessorTimes {
  const all = cpus();
  return { processors: all.length, idleMs: all.reduce((sum, { times }) => sum + times.idle, 0) };
}

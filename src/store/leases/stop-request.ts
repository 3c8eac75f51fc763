// A request that a story's worker stops. It is written before the worker gets a signal, because a signal does
// not say who sent it: without it, `saga stop` and a shutdown of the machine would look the same.

import { join } from "node:path";
import { makeFolder, readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { runsFolder, type Layout } from "../project/layout.ts";

export function requestStop(at: Layout, storyId: string, nowMs: number): void {
  makeFolder(join(runsFolder(at), storyId));
  writeDurably(requestFile(at, storyId), `${new Date(nowMs).toISOString()}\n`);
}

/** `sinceMs`: the start of the worker. An earlier request was for another worker. */
export const isStopRequested = (at: Layout, storyId: string, sinceMs: number): boolean =>
  Date.parse(readTextIfThere(requestFile(at, storyId))?.trim() ?? "") >= sinceMs;

/** Beside the runs: a worker that has just started has no run yet. */
const requestFile = (at: Layout, storyId: string): string => join(runsFolder(at), storyId, "stop");

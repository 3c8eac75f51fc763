// A request that a story's worker stops. It is written before the worker gets a signal, because a signal does
// not say who sent it: without it, `saga stop` and a shutdown of the machine would look the same.

import { join } from "node:path";
import { makeFolder, readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { runsFolder, type Layout } from "../project/layout.ts";

/** With a limit, the request is not a person's: a limit was reached that the worker itself does not know. */
export function requestStop(at: Layout, storyId: string, nowMs: number, limit = ""): void {
  makeFolder(join(runsFolder(at), storyId));
  const time = new Date(nowMs).toISOString();
  writeDurably(requestFile(at, storyId), `${`${time} ${limit}`.trim()}\n`);
}

/** `sinceMs`: the start of the worker. An earlier request was for another worker. */
export const isStopRequested = (at: Layout, storyId: string, sinceMs: number): boolean =>
  readRequest(at, storyId, sinceMs) !== undefined;

/** The limit that was reached, as a sentence. Undefined when a person requested the stop. */
export const limitOfStop = (at: Layout, storyId: string, sinceMs: number): string | undefined =>
  readRequest(at, storyId, sinceMs) || undefined;

function readRequest(at: Layout, storyId: string, sinceMs: number): string | undefined {
  const text = readTextIfThere(requestFile(at, storyId))?.trim();
  const [time = ""] = text?.split(" ") ?? [];
  return text !== undefined && Date.parse(time) >= sinceMs
    ? text.slice(time.length).trim()
    : undefined;
}

/** Beside the runs: a worker that has just started has no run yet. */
const requestFile = (at: Layout, storyId: string): string => join(runsFolder(at), storyId, "stop");

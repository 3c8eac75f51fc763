// That a person wants a story's worker to stop: written down before the worker is told to end, because a
// signal does not say who sent it. Without this, a stop and the end of the machine would look the same.

import { join } from "node:path";
import { makeFolder, readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { runsFolder, type Layout } from "../project/layout.ts";

/** With a reason it is not a person's wish: a limit was reached that the worker itself does not know of. */
export function markStop(at: Layout, storyId: string, nowMs: number, limit = ""): void {
  makeFolder(join(runsFolder(at), storyId));
  const time = new Date(nowMs).toISOString();
  writeDurably(markFile(at, storyId), `${`${time} ${limit}`.trim()}\n`);
}

/** Since a worker began: what was said before was said to another one. */
export const isStopMarked = (at: Layout, storyId: string, sinceMs: number): boolean =>
  readMark(at, storyId, sinceMs) !== undefined;

/** Which limit was reached, as a sentence; nothing when a person wants it to stop. */
export const limitOfStop = (at: Layout, storyId: string, sinceMs: number): string | undefined =>
  readMark(at, storyId, sinceMs) || undefined;

function readMark(at: Layout, storyId: string, sinceMs: number): string | undefined {
  const text = readTextIfThere(markFile(at, storyId))?.trim();
  const [time = ""] = text?.split(" ") ?? [];
  return text !== undefined && Date.parse(time) >= sinceMs
    ? text.slice(time.length).trim()
    : undefined;
}

/** Beside the runs: one that was only just started has none yet. */
const markFile = (at: Layout, storyId: string): string => join(runsFolder(at), storyId, "stop");

// That a person wants a story's worker to stop: written down before the worker is told to end, because a
// signal does not say who sent it. Without this, a stop and the end of the machine would look the same.

import { join } from "node:path";
import { makeFolder, readTextIfThere, writeDurably } from "../machine/files.ts";
import { runsFolder, type Layout } from "./layout.ts";

export function markStop(at: Layout, storyId: string, nowMs: number): void {
  makeFolder(join(runsFolder(at), storyId));
  writeDurably(markFile(at, storyId), `${new Date(nowMs).toISOString()}\n`);
}

/** Since a worker began: what was said before was said to another one. */
export function isStopMarked(at: Layout, storyId: string, sinceMs: number): boolean {
  const text = readTextIfThere(markFile(at, storyId));
  return text !== undefined && Date.parse(text.trim()) >= sinceMs;
}

/** Beside the runs: one that was only just started has none yet. */
const markFile = (at: Layout, storyId: string): string => join(runsFolder(at), storyId, "stop");

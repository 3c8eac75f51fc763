// A request that a story's worker ends in an orderly way, with its work committed, because a budget is spent that the worker
// itself does not know. Unlike a stop, it comes without a signal: the worker looks for it.

import { join } from "node:path";
import { makeFolder, readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { usd } from "../../text/usd.ts";
import { runsFolder, type Layout } from "../project/layout.ts";

export const epicBudgetSpent = (budgetUsd: number): string =>
  `The budget of the epic's run is spent (${usd(budgetUsd)}).`;

/** `reason`: a sentence. */
export function requestDrain(at: Layout, storyId: string, nowMs: number, reason: string): void {
  makeFolder(join(runsFolder(at), storyId));
  writeDurably(requestFile(at, storyId), `${new Date(nowMs).toISOString()} ${reason}\n`);
}

/** The reason. `sinceMs`: the start of the worker. An earlier request was for another worker. */
export function readDrainRequest(at: Layout, storyId: string, sinceMs: number): string | undefined {
  const text = readTextIfThere(requestFile(at, storyId))?.trim() ?? "";
  const [time = ""] = text.split(" ");
  return Date.parse(time) >= sinceMs ? text.slice(time.length).trim() : undefined;
}

/** Beside the runs: a worker that has just started has no run yet. */
const requestFile = (at: Layout, storyId: string): string => join(runsFolder(at), storyId, "drain");

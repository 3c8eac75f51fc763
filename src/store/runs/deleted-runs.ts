// What deleted runs have cost: a line for each, in the folder of their story.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, readTextIfThere } from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";
import { runSchema, type Run } from "../../story/state/run.ts";

/** Before the run is deleted. Killed in between, the run is noted twice, and read once. */
export function noteDeletedRun(folder: string, run: Run): void {
  if (run.costUsd === 0) return;
  const { id, story, startedAt, endedAt, model, costUsd, costIsEstimate } = run;
  const { costByDay, costByModel } = run;
  const record = { id, story, startedAt, endedAt, model, costUsd, costIsEstimate };
  makeFolder(folder);
  // The line break comes first, so that a line that was cut off by a crash does not spoil this one.
  appendFileSync(fileIn(folder), `\n${JSON.stringify({ ...record, costByDay, costByModel })}\n`);
}

export function readDeletedRuns(folder: string): Run[] {
  const runs = new Map<string, Run>();
  for (const line of (readTextIfThere(fileIn(folder)) ?? "").split("\n")) {
    const run = line === "" ? undefined : runSchema.safeParse(parseJson(line)).data;
    if (run) runs.set(run.id, run);
  }
  return [...runs.values()];
}

const fileIn = (folder: string): string => join(folder, "deleted-runs.jsonl");

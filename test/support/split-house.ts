// A story whose task `big` is split, without a disk.

import { expect } from "vitest";
import { findCycles, missingReferences } from "../../src/story/definition/graph.ts";
import { taskSchema } from "../../src/story/definition/task.ts";
import { DEFAULT_CEILING } from "../../src/story/definition/validate.ts";
import type { FileFields } from "../../src/story/plan/fields-after-plan.ts";
import { problemSentences, type Part } from "../../src/story/plan/split-proposal.ts";
import { splitTask, type SplitResult } from "../../src/story/plan/split.ts";
import { aPart as part } from "./parts.ts";

export const task = (id: string, more: FileFields = {}): [string, FileFields] => [
  id,
  { id, subject: `Do ${id}`, description: `How to do ${id}.`, status: "pending", ...more },
];

/** `big` comes after `ground` and before `roof`. */
export const HOUSE = new Map([
  task("ground"),
  task("big", { blockedBy: ["ground"], status: "in_progress" }),
  task("roof", { blockedBy: ["big"] }),
]);
export const CHAIN = [part("walls"), part("windows", { blockedBy: ["walls"] })];

export const split = (
  tasks: ReadonlyMap<string, FileFields>,
  proposal: readonly Part[],
  finished = false,
): SplitResult => splitTask(tasks, "big", proposal, { finished, ceiling: DEFAULT_CEILING });

/** The story afterwards; every file of it is one that may be written. */
export function after(
  tasks: ReadonlyMap<string, FileFields>,
  done: SplitResult,
): Map<string, FileFields> {
  if (done.kind === "refused") throw new Error(problemSentences(done.problems).join("\n"));
  const all = new Map(tasks);
  for (const { id, action, fields } of done.files) {
    expect(action, id).toBe(tasks.has(id) ? "update" : "create");
    expect(fields["id"]).toBe(id);
    all.set(id, fields);
  }
  const links = [...all.values()].map((fields) => ({ ...taskSchema.parse(fields), isDone: false }));
  expect([...missingReferences(links), ...findCycles(links)]).toEqual([]);
  return all;
}

export const blockers = (tasks: ReadonlyMap<string, FileFields>): Record<string, unknown> =>
  Object.fromEntries([...tasks].map(([id, fields]) => [id, fields["blockedBy"] ?? []]));

export const problems = (done: SplitResult): string[] =>
  done.kind === "refused" ? problemSentences(done.problems) : [];

import { expect, it } from "vitest";
import { newListing, type TaskEntry } from "./listing.ts";

const PROBLEM = { kind: "invalid-json", message: "It is not JSON.", file: "1.json" } as const;
const entry = (id: string): TaskEntry => {
  const task = { id, subject: "Do it", status: "pending", blocks: [], blockedBy: [] };
  const pool = { ...task, priority: 2, checks: [], answers: [], attempts: 0 };
  return { task, pool } as unknown as TaskEntry;
};

it("an entry is a task or a broken file, never both, and can be removed", () => {
  const listing = newListing((id) => `${id}.json`);
  const state = (): string[][] => [[...listing.tasks.keys()], [...listing.broken.keys()]];
  listing.put("1", entry("1"));
  expect(state()).toEqual([["1"], []]);
  listing.put("1", { problem: PROBLEM });
  expect(state()).toEqual([[], ["1"]]);
  listing.put("1", entry("1"));
  expect(state()).toEqual([["1"], []]);
  listing.put("1", undefined);
  expect(state()).toEqual([[], []]);
});

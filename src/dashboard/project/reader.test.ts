import { expect, it } from "vitest";
import { groupChanges } from "./reader.ts";

it("many changes are read as few: each story, run and lease once", () => {
  const todo = groupChanges([
    { kind: "story", id: "one" },
    { kind: "story", id: "one" },
    { kind: "runs", story: "two" },
    { kind: "lease", name: "story.one" },
    { kind: "pool" },
  ]);
  expect([...todo.stories]).toEqual(["one"]);
  expect([...todo.runs]).toEqual(["two"]);
  expect([...todo.leases]).toEqual(["story.one"]);
  expect(todo).toMatchObject({ hasPool: true, hasNames: false, hasEpics: false, hasLanes: false });
});

it("no change asks for nothing", () => {
  const { stories, runs, leases, ...rest } = groupChanges([]);
  expect([stories.size, runs.size, leases.size]).toEqual([0, 0, 0]);
  expect(Object.values(rest)).not.toContain(true);
});

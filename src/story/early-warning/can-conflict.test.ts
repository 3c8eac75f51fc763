import { describe, expect, it } from "vitest";
import type { ChangedPaths } from "./open-work.ts";
import { canConflict, conflictsOfBoth } from "./can-conflict.ts";

const changes = (paths: string[], more: Partial<ChangedPaths> = {}): ChangedPaths => ({
  paths,
  emptied: [],
  isEverything: false,
  ...more,
});

it.each([
  ["the same file", ["a/b.ts"], ["a/b.ts", "c.ts"], true],
  ["two files of one folder", ["a/b.ts"], ["a/c.ts"], false],
  ["a file where the other has a folder", ["a"], ["a/b.ts"], true],
  ["a folder where the other has a file", ["a/b/c.ts"], ["a/b"], true],
  ["a name that only begins the same", ["ab"], ["a", "abc"], false],
  ["no change at all", [], ["a"], false],
])("judges %s", (_, one, other, expected) => {
  expect(canConflict(changes(one), changes(other))).toBe(expected);
  expect(canConflict(changes(other), changes(one))).toBe(expected);
});

it("does not rule out a conflict with changes that are too many to list", () => {
  expect(canConflict(changes([], { isEverything: true }), changes(["a"]))).toBe(true);
});

it("knows that git moves a new file along with its renamed folder", () => {
  const renamed = changes(["old/a.ts", "new/a.ts"], { emptied: ["old"] });
  expect(canConflict(renamed, changes(["old/b.ts"]))).toBe(true);
  expect(canConflict(changes(["old/deep/b.ts"]), renamed)).toBe(true);
  expect(canConflict(renamed, changes(["older/b.ts"]))).toBe(false);
});

describe("the files of a merge", () => {
  it("belong to both sides only if both changed them", () => {
    const files = ["both.ts", "ours.ts", "theirs.ts"];
    const ours = changes(["both.ts", "ours.ts"]);
    const theirs = changes(["both.ts", "theirs.ts"]);
    expect(conflictsOfBoth(files, ours, theirs)).toEqual(["both.ts"]);
  });

  it("include one that git has moved with a renamed folder", () => {
    const renamed = changes(["old/a.ts", "new/a.ts"], { emptied: ["old"] });
    expect(conflictsOfBoth(["new/b.ts"], renamed, changes(["old/b.ts"]))).toEqual(["new/b.ts"]);
  });
});

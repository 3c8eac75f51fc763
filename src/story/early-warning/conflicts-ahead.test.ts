import { describe, expect, it } from "vitest";
import { conflictsAhead, conflictsOf, otherSide } from "./conflicts-ahead.ts";
import type { OpenWork, TriedMerge } from "./open-work.ts";

const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;
const workOf = (story: string, tip: string, merges: TriedMerge[], second = 0): OpenWork => ({
  story,
  title: story,
  intent: "",
  tip,
  changes: { paths: [], emptied: [], isEverything: false },
  merges,
  at: at(second),
});
const merge = (name: string, commit: string, files: string[]): TriedMerge => ({
  kind: "story",
  name,
  commit,
  files,
  since: at(0),
});
const filesOf = (works: OpenWork[]): (readonly string[])[] =>
  conflictsAhead(works).map(({ files }) => files);

it("lists a pair once, by name, whichever of the two was looked at", () => {
  const one = workOf("one", "1", [merge("two", "2", ["a"])]);
  const two = workOf("two", "2", [merge("one", "1", ["a"])]);
  const expected = [
    { story: "one", with: { kind: "story", name: "two" }, files: ["a"], since: at(0) },
  ];
  expect(conflictsAhead([one, two])).toEqual(expected);
  expect(conflictsAhead([workOf("one", "1", []), two])).toEqual(expected);
  expect(conflictsAhead([one, workOf("two", "2", [])])).toEqual(expected);
});

it("lists a conflict with the target", () => {
  const target = { ...merge("main", "m", ["a"]), kind: "target" as const };
  expect(conflictsAhead([workOf("one", "1", [target])])).toMatchObject([
    { story: "one", with: { kind: "target", name: "main" } },
  ]);
});

describe("two workers that looked at different commits", () => {
  it("are settled by the look at the current ones", () => {
    const old = workOf("one", "1", [merge("two", "1z", ["old"])], 9);
    const current = workOf("two", "2", [merge("one", "1", ["new"])]);
    expect(filesOf([old, current])).toEqual([["new"]]);
    const clean = workOf("two", "2", [merge("one", "1", [])]);
    expect(filesOf([old, clean])).toEqual([]);
  });

  it("are settled by the later look if neither saw the other's last commit", () => {
    const one = workOf("one", "1b", [merge("two", "2a", ["earlier"])], 1);
    const two = workOf("two", "2b", [merge("one", "1a", ["later"])], 2);
    expect(filesOf([one, two])).toEqual([["later"]]);
  });
});

it("drops a conflict that the other story's new commit has ended", () => {
  const old = workOf("one", "1", [merge("two", "2a", ["a"])]);
  expect(conflictsAhead([old, workOf("two", "2b", [])])).toEqual([]);
});

it("drops a conflict with a story that has ended, and a clean merge", () => {
  expect(conflictsAhead([workOf("one", "1", [merge("two", "2", ["a"])])])).toEqual([]);
  const clean = [workOf("one", "1", [merge("two", "2", [])]), workOf("two", "2", [])];
  expect(conflictsAhead(clean)).toEqual([]);
});

it("knows each side of a conflict", () => {
  const all = conflictsAhead([
    workOf("one", "1", [merge("two", "2", ["a"])]),
    workOf("three", "3", []),
    workOf("two", "2", [merge("three", "3", ["b"])]),
  ]);
  expect(conflictsOf(all, "three").map((one) => otherSide(one, "three").name)).toEqual(["two"]);
  expect(conflictsOf(all, "two").map((one) => otherSide(one, "two").name)).toEqual([
    "one",
    "three",
  ]);
  expect(conflictsOf(all, "main")).toEqual([]);
});

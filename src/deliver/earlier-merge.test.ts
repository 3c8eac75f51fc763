import { describe, expect, it } from "vitest";
import { newRunId } from "../story/state/run-id.ts";
import { targetGoneWarnings, wasMergedLast } from "./earlier-merge.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const DAY_MS = 86_400_000;
const run = (outcome: "merged" | "done" | "failed", more = {}, atMs = NOW - DAY_MS) => ({
  id: newRunId(atMs, "1a2b3c"),
  outcome,
  ...more,
});

describe("a story counts as merged", () => {
  it("when its last run merged it", () => {
    expect(wasMergedLast([run("merged"), run("done")], NOW)).toBe(true);
    expect(wasMergedLast([run("done"), run("merged")], NOW)).toBe(false);
    expect(wasMergedLast([], NOW)).toBe(false);
  });

  it("although a split by hand was recorded since", () => {
    expect(wasMergedLast([run("failed", { isAside: true }), run("merged")], NOW)).toBe(true);
  });

  it("although a wrong clock dated the merge in the future, or a run after it", () => {
    const later = NOW + 30 * DAY_MS;
    expect(wasMergedLast([run("merged", {}, later)], NOW)).toBe(true);
    expect(wasMergedLast([run("done", {}, later), run("merged")], NOW)).toBe(true);
  });

  it("until its work is discarded", () => {
    const discardedAt = "2026-11-15T11:00:00.000Z";
    expect(wasMergedLast([run("merged", { discardedAt }), run("merged")], NOW)).toBe(false);
  });
});

it("a target that was deleted since the merge is a warning", () => {
  const merge = {
    storyId: "cart",
    into: "epic/shop",
    commit: "0",
    tip: "0",
    repository: {} as never,
  };
  expect(targetGoneWarnings({ ...merge, isTargetGone: true })).toHaveLength(1);
  expect(targetGoneWarnings({ ...merge, isTargetGone: false })).toEqual([]);
});

import { describe, expect, it } from "vitest";
import type { LaneEntry, LaneView } from "../../story/landing/lane-view.ts";
import { painter } from "../output/terminal.ts";
import { isBetweenBatches, queueText } from "./queue-text.ts";

const entry = (name: string, more: Partial<LaneEntry> = {}): LaneEntry => ({
  name,
  kind: "story",
  by: "saga merge",
  enqueuedAt: "2026-01-01T00:00:00.000Z",
  batch: 1,
  state: "waiting",
  reason: "next to land",
  etaMs: undefined,
  ...more,
});

const textOf = (more: Partial<LaneView>): string =>
  queueText([{ target: "main", view: { ...EMPTY, ...more } }], painter(false));

const EMPTY: LaneView = {
  lane: { branch: "main", place: "here" },
  hasLander: true,
  now: undefined,
  entries: [],
  recent: [],
  checks: { run: 0, saved: 0 },
  flaky: [],
};

const LANDED = {
  at: "2026-01-01T00:00:00.000Z",
  ms: 1,
  from: "a",
  to: "b",
  landed: ["x", "y"],
  checks: [],
  flaky: [],
};

describe("the text of a queue", () => {
  it("says that nothing waits", () => {
    expect(queueText([], painter(false))).toBe("Nothing waits to be merged.\n");
    expect(textOf({})).toBe("Nothing waits to be merged.\n");
    expect(textOf({ recent: [LANDED], checks: { run: 1, saved: 1 } })).toBe(
      "main\n  The queue is empty.\n  Recently merged: 2 (1 check run, 1 saved by merging together)\n",
    );
  });

  it("names the machines of a fleet that share the lane", () => {
    const text = textOf({
      now: { entries: ["a"], step: "compose", startedAt: LANDED.at, machine: "bob" },
      entries: [
        entry("a", { state: "landing", reason: "being combined with the target", machine: "ann" }),
        entry("b", { batch: undefined, reason: "held by Ada", machine: "bob" }),
        entry("c", { batch: undefined, reason: "waits for b", machine: "ann", isLeft: true }),
      ],
    });
    expect(text).toContain("3  c  on ann, which alone can merge it, waits for b\n");
    expect(text).toContain("Batch 1 (being combined with the target) on bob\n    1  a  on ann\n");
    expect(text).toContain("Not yet\n    2  b  on bob, held by Ada\n");
  });

  it("says once for each batch what happens to it, and for each of the others why it waits", () => {
    const landing = {
      state: "landing",
      reason: "running the check: npm test",
      etaMs: 7_000,
    } as const;
    const later = { batch: 2, reason: "waits for the batch before it", etaMs: 24_000 };
    const not = { batch: undefined, etaMs: undefined };
    const entries = [
      entry("one", landing),
      entry("two", landing),
      entry("shop", { ...later, kind: "epic" }),
      entry("three", { ...not, state: "held", reason: "held by Ada" }),
      entry("four", { ...not, reason: "waits for three" }),
    ];
    expect(textOf({ entries })).toBe(
      [
        "main",
        "  Batch 1 (running the check: npm test), about 7 s left",
        "    1  one",
        "    2  two",
        "  Batch 2 (waits for the batch before it), in about 24 s",
        "    3  shop   epic",
        "  Not yet",
        "    4  three  held by Ada",
        "    5  four   waits for three",
        "",
      ].join("\n"),
    );
  });

  it("says that checks take longer than usual", () => {
    const entries = [entry("one", { state: "landing", reason: "being checked", etaMs: 0 })];
    expect(textOf({ entries })).toContain("  Batch 1 (being checked), longer than usual\n");
  });

  it("names the command that merges what waits, if no process does and something can be merged", () => {
    const ready = textOf({ hasLander: false, entries: [entry("one", { etaMs: 7_000 })] });
    expect(ready).toContain("  Batch 1 (next to land), about 7 s\n");
    expect(ready).toContain("  No process is merging. Merge the queue: `saga queue run`\n");
    const held = entry("one", { batch: undefined, state: "held", reason: "held by Ada" });
    expect(textOf({ hasLander: false, entries: [held] })).not.toContain("saga queue run");
    expect(textOf({ entries: [entry("one")] })).not.toContain("saga queue run");
  });
});

it("a lane is between two batches for a moment after one has landed, if more can land", () => {
  const at = (ms: number, more: Partial<LaneView> = {}): boolean => {
    const view = { ...EMPTY, hasLander: false, recent: [LANDED], entries: [entry("one")], ...more };
    return isBetweenBatches(view, Date.parse(LANDED.at) + ms);
  };
  expect([at(500), at(5_000)]).toEqual([true, false]);
  expect(at(500, { hasLander: true })).toBe(false);
  expect(at(500, { entries: [] })).toBe(false);
  expect(at(500, { recent: [] })).toBe(false);
});

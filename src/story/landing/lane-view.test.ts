import { describe, expect, it } from "vitest";
import type { Entry, Lane } from "./entry.ts";
import type { LandedBatch, LandingNow } from "./history.ts";
import { laneView, type LaneFacts } from "./lane-view.ts";

const MAIN: Lane = { branch: "main", place: "here" };
const NOW = Date.parse("2026-01-01T00:10:00Z");

const entry = (name: string, arrival: number, more: Partial<Entry> = {}): Entry => ({
  id: `${String(arrival).padStart(13, "0")}-00000000`,
  kind: "story",
  name,
  lane: MAIN,
  priority: 3,
  enqueuedAt: "2026-01-01T00:00:00.000Z",
  by: "saga merge",
  after: [],
  checks: ["npm test"],
  ...more,
});

const batchOf = (ms: number, more: Partial<LandedBatch> = {}): LandedBatch => ({
  at: "2026-01-01T00:00:00.000Z",
  ms,
  from: "a",
  to: "b",
  landed: ["x", "y", "z"],
  checks: [{ command: "npm test", isPassed: true, ms, isReused: false, candidate: 3 }],
  flaky: [],
  ...more,
});

const viewOf = (facts: Partial<LaneFacts>) =>
  laneView({
    lane: MAIN,
    entries: [],
    hasLander: true,
    now: undefined,
    history: [batchOf(60_000)],
    batchSize: 2,
    nowMs: NOW,
    ...facts,
  });

describe("a lane", () => {
  it("shows its entries by batch, each with the time that the checks took before", () => {
    const { entries } = viewOf({ entries: [entry("a", 1), entry("b", 2), entry("c", 3)] });
    expect(entries).toMatchObject([
      { name: "a", batch: 1, state: "waiting", reason: "next to land", etaMs: 60_000 },
      { name: "b", batch: 1, etaMs: 60_000 },
      { name: "c", batch: 2, reason: "waits for the batch before it", etaMs: 120_000 },
    ]);
  });

  it("shows what lands now, and the time that is left", () => {
    const now: LandingNow = {
      entries: ["a"],
      step: "verify",
      command: "npm test",
      candidate: 1,
      startedAt: "2026-01-01T00:09:40.000Z",
    };
    const { entries } = viewOf({ entries: [entry("a", 1), entry("b", 2)], now });
    expect(entries).toMatchObject([
      {
        name: "a",
        batch: 1,
        state: "landing",
        reason: "running the check: npm test",
        etaMs: 40_000,
      },
      { name: "b", batch: 2, state: "waiting", etaMs: 100_000 },
    ]);
  });

  it("says that it searches for the entry that fails", () => {
    const now: LandingNow = {
      entries: ["a", "b"],
      step: "verify",
      command: "npm test",
      candidate: 1,
      startedAt: "2026-01-01T00:09:40.000Z",
    };
    const { entries } = viewOf({ entries: [entry("a", 1), entry("b", 2)], now });
    expect(entries[0]?.reason).toBe(
      "checks failed, searching for the cause: npm test with the first 1 of 2",
    );
  });

  it("shows no time for checks that never ran", () => {
    expect(viewOf({ entries: [entry("a", 1)], history: [] }).entries[0]?.etaMs).toBeUndefined();
  });

  it("shows who holds an entry, and what waits for it", () => {
    const held = entry("a", 1, { heldBy: "root" });
    const { entries } = viewOf({ entries: [held, entry("b", 2, { after: ["a"] })] });
    expect(entries).toMatchObject([
      { name: "a", state: "held", reason: "held by root", batch: undefined },
      { name: "b", state: "waiting", reason: "waits for a", batch: undefined },
    ]);
  });

  it("counts the checks that were run, and those that a plain loop would have run more", () => {
    const reused = { command: "npm test", isPassed: true, ms: 1, isReused: true, candidate: 1 };
    const history = [batchOf(1), batchOf(1, { landed: ["w"], checks: [reused] })];
    expect(viewOf({ history }).checks).toEqual({ run: 1, saved: 3 });
  });

  it("names flaky checks of recent batches once", () => {
    const history = [batchOf(1, { flaky: ["npm test"] }), batchOf(1, { flaky: ["npm test"] })];
    expect(viewOf({ history }).flaky).toEqual(["npm test"]);
  });
});

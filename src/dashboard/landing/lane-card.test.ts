import { describe, expect, it } from "vitest";
import type { Entry } from "../../story/landing/entry.ts";
import { laneView, type LaneFacts } from "../../story/landing/lane-view.ts";
import { laneCard } from "./lane-card.ts";

const START = "2026-01-01T00:00:00.000Z";
const lane = { branch: "main", place: "here" } as const;
const entry = (name: string, at: number): Entry => ({
  id: `${String(at).padStart(13, "0")}-00000000`,
  kind: "story",
  name,
  lane,
  priority: 3,
  enqueuedAt: START,
  by: "saga merge",
  after: [],
  checks: ["npm test"],
});
const check = { command: "npm test", isPassed: true, ms: 60_000, isReused: false, candidate: 1 };
const FACTS: LaneFacts = {
  lane,
  entries: [entry("one", 1), entry("two", 2)],
  hasLander: true,
  now: { entries: ["one"], step: "verify", output: "/a/file", startedAt: START },
  history: [
    {
      at: START,
      ms: 61_000,
      from: "a",
      to: "b",
      landed: ["zero"],
      checks: [check, { ...check, isReused: true }],
      flaky: ["npm test"],
    },
  ],
  batchSize: 8,
  nowMs: 0,
};

const cardAt = (afterMs: number, facts: Partial<LaneFacts> = {}) => {
  const nowMs = Date.parse(START) + afterMs;
  return laneCard(laneView({ ...FACTS, ...facts, nowMs }), { target: "main", nowMs });
};

describe("a lane's card", () => {
  it("has the same text whenever it is read, until it is overdue", () => {
    const [first, later, overdue] = [cardAt(1000), cardAt(30_000), cardAt(61_000)];
    expect(JSON.stringify(later)).toBe(JSON.stringify(first));
    expect(first.entries.map(({ landsAt }) => landsAt)).toEqual([
      "2026-01-01T00:01:00.000Z",
      "2026-01-01T00:02:00.000Z",
    ]);
    expect(overdue.entries[0]).not.toHaveProperty("landsAt");
    expect(JSON.stringify(cardAt(62_000))).toBe(JSON.stringify(overdue));
  });

  it("gives how long entries take from the start while no process is merging", () => {
    const { entries, now } = cardAt(5000, { now: undefined });
    expect(now).toBeUndefined();
    expect(entries).toMatchObject([{ name: "one", etaMs: 60_000 }, { name: "two" }]);
    expect(entries[0]).not.toHaveProperty("landsAt");
  });

  it("has no path of this machine, and counts the checks of each batch", () => {
    const card = cardAt(0);
    expect(JSON.stringify(card)).not.toContain("/a/file");
    expect(card.id).toBe("here.main");
    expect(card.recent).toEqual([
      {
        at: START,
        ms: 61_000,
        landed: ["zero"],
        ejected: undefined,
        commit: "b",
        checksRun: 1,
        checksReused: 1,
        hasFlaky: true,
      },
    ]);
  });
});

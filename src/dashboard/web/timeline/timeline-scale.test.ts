import { describe, expect, it } from "vitest";
import { timelineOf } from "../../../../test/support/page/details.ts";
import { FIXTURE_NOW } from "../../../../test/support/page/moment.ts";
import { addressOf, endOf, lanesOf, positionOf, spanOf, ticksOf } from "./timeline-scale.ts";

it("a killed run is not drawn as if it were running", () => {
  const bar = { story: "a", run: "1", startedAt: "2026-11-16T10:00:00.000Z", costUsd: 0 };
  const [start, now] = [Date.parse(bar.startedAt), Date.parse("2026-11-16T12:00:00.000Z")];
  expect(endOf(bar, true, now)).toBe(now);
  expect(endOf(bar, false, now)).toBe(start);
  expect(endOf({ ...bar, endedAt: "2026-11-16T10:30:00.000Z" }, false, now)).toBe(
    start + 1_800_000,
  );
});

describe("the timeline", () => {
  const { bars } = timelineOf();
  const live = new Set(bars.filter(({ endedAt }) => endedAt === undefined).map(({ run }) => run));
  const span = spanOf(bars, live, FIXTURE_NOW);

  it("has a lane for each story, the last active one on top", () => {
    const lanes = lanesOf(bars);
    expect(lanes[0]?.story).toBe("accounts--reset");
    expect(lanes.find(({ story }) => story === "accounts--sign-in")).toMatchObject({
      costUsd: 2.76,
      bars: [{ outcome: "failed" }, { outcome: "done" }],
    });
  });

  it("contains every bar, and clamps positions outside", () => {
    for (const { startedAt } of bars) {
      expect(positionOf(Date.parse(startedAt), span)).toBeGreaterThan(0);
    }
    expect([positionOf(0, span), positionOf(FIXTURE_NOW * 2, span)]).toEqual([0, 1]);
  });

  it("uses its whole width for the runs it shows", () => {
    const [bar] = bars;
    if (bar === undefined) throw new Error("There is a bar.");
    const at = (minutes: number): string => new Date(FIXTURE_NOW + minutes * 60_000).toISOString();
    const runOf = (from: number, to: number) => ({ ...bar, startedAt: at(from), endedAt: at(to) });
    const day = [runOf(-400, -390), runOf(-380, -360)];
    const { fromMs, toMs } = spanOf(day, new Set(), FIXTURE_NOW);
    expect((toMs - fromMs) / 60_000).toBeLessThan(45);
    const short = spanOf([runOf(-2, -1)], new Set(), FIXTURE_NOW);
    expect((short.toMs - short.fromMs) / 60_000).toBeGreaterThanOrEqual(10);
  });

  it("ends now while a run is live, and at the last run if it was killed", () => {
    const bar = bars.find(({ endedAt }) => endedAt === undefined);
    if (bar === undefined) throw new Error("There is a run without an end.");
    const started = Date.parse(bar.startedAt);
    expect(spanOf([bar], new Set([bar.run]), FIXTURE_NOW).toMs).toBeGreaterThan(FIXTURE_NOW);
    expect(spanOf([bar], new Set(), FIXTURE_NOW).toMs).toBeLessThan(started + 60_000);
  });

  it("has round ticks in local time, as many as fit", () => {
    const zone = 90 * 60_000;
    const ticks = ticksOf(span, 9, zone);
    expect(ticks.length).toBeGreaterThan(3);
    expect(ticks.length).toBeLessThanOrEqual(10);
    for (const tick of ticks) expect((tick + zone) % 3_600_000).toBe(0);
  });
});

it("a lane links to its story, and a lane of a pool worker to the pool", () => {
  expect(addressOf({ story: "checkout--prices" })).toBe("/story/checkout--prices/runs");
  expect(addressOf({ story: "auto-12" })).toBe("/pool");
  expect(addressOf({ story: "auto-complete" })).toBe("/story/auto-complete/runs");
});

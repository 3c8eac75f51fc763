import { expect, it } from "vitest";
import type { Run } from "../../story/state/run.ts";
import { timelineOf } from "./timeline.ts";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-11-18T12:00:00.000Z");
const daysAgo = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();

const run = (id: string, startedAt: string, more: Partial<Run> = {}): Run =>
  ({ id, story: "a", startedAt, costUsd: 1, ...more }) as Run;

const barsIn = (days: number, ...runs: readonly Run[]): string[] =>
  timelineOf({ stories: () => ["a"], of: () => runs }, days, NOW).bars.map((bar) => bar.run);

it("has the runs of the last days, oldest first", () => {
  const runs = [run("new", daysAgo(1)), run("old", daysAgo(2)), run("older", daysAgo(9))];
  expect(barsIn(7, ...runs)).toEqual(["old", "new"]);
});

it("includes a run that started earlier but ended within the days", () => {
  expect(barsIn(7, run("long", daysAgo(9), { endedAt: daysAgo(6) }))).toEqual(["long"]);
});

it("shows a week for a number that is not one, and at least a day and at most a year", () => {
  const runs = [0.5, 6, 300, 400].map((days) => run(String(days), daysAgo(days)));
  expect(barsIn(Number.NaN, ...runs)).toEqual(["6", "0.5"]);
  expect(barsIn(0, ...runs)).toEqual(["0.5"]);
  expect(barsIn(9_999, ...runs)).toEqual(["300", "6", "0.5"]);
});

import { expect, it } from "vitest";
import { runSchema, type Run } from "../state/run.ts";
import { costOf, spendingBy, spentSince, totalOf } from "./spending.ts";

const aRun = (story: string, more: Partial<Run>): Run =>
  runSchema.parse({
    id: "20261115T120000123Z-1a2b",
    story,
    startedAt: new Date(2026, 10, 15, 12).toISOString(),
    ...more,
  });

const costs = [
  costOf(
    aRun("auth--form", {
      costUsd: 3,
      costByDay: { "2026-11-15": 1, "2026-11-16": 2 },
      costByModel: { opus: 2.4, haiku: 0.6 },
    }),
    "auth",
  ),
  costOf(aRun("auth--api", { costUsd: 4, costIsEstimate: true, model: "opus" }), "auth"),
  costOf(aRun("auto-1", { costUsd: 1 }), undefined),
  costOf(aRun("loose", {}), undefined),
];

it("sums up by day, newest first, also for runs that cross midnight", () => {
  expect(spendingBy(costs, "day")).toEqual([
    { name: "2026-11-16", costUsd: 2, isEstimate: false, runs: 1 },
    { name: "2026-11-15", costUsd: 6, isEstimate: true, runs: 3 },
  ]);
});

it("counts in the total the runs that the rows count", () => {
  expect(totalOf(costs)).toMatchObject({ costUsd: 8, runs: 3 });
});

it("sums up by epic, story and model, the most expensive first", () => {
  const named = (by: Parameters<typeof spendingBy>[1]) =>
    spendingBy(costs, by).map(({ name, costUsd }) => [name, costUsd]);
  expect(named("epic")).toEqual([
    ["auth", 7],
    ["(no epic)", 1],
  ]);
  expect(named("story")).toEqual([
    ["auth--api", 4],
    ["auth--form", 3],
    ["auto-1", 1],
  ]);
  expect(named("model")).toEqual([
    ["opus", 6.4],
    ["unknown", 1],
    ["haiku", 0.6],
  ]);
});

it("counts a run in part when only some of its days are asked for", () => {
  const since = spentSince(costs, "2026-11-16");
  expect(totalOf(since)).toEqual({ costUsd: 2, isEstimate: false, runs: 1 });
  expect(spendingBy(since, "model").map(({ name, costUsd }) => [name, costUsd])).toEqual([
    ["opus", 1.6],
    ["haiku", 0.4],
  ]);
  expect(totalOf(spentSince(costs, "2026-11-15")).costUsd).toBe(8);
});

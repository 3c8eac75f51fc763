import { expect, it } from "vitest";
import { costLimit, cycleLimit, isSpent, tightestLimit, timeOrCostLimit } from "./run-limits.ts";

const LIMITS = { maxCycles: 3, maxMs: 60 * 60_000, maxCostUsd: 5 };
const BELOW = { nowMs: 99, deadlineMs: 100, costUsd: 4.99 };

it("is not reached before the last agent run, minute and cent", () => {
  expect(cycleLimit(LIMITS, 2)).toBeUndefined();
  expect(timeOrCostLimit(LIMITS, BELOW)).toBeUndefined();
});

it("says which limit was reached, and its value", () => {
  expect(cycleLimit(LIMITS, 3)).toMatchObject({
    limit: "cycles",
    reason: "Limit of agent runs reached (3).",
  });
  expect(timeOrCostLimit(LIMITS, { ...BELOW, nowMs: 100 })).toMatchObject({
    limit: "time",
    reason: "Time limit reached (60 min).",
  });
  expect(timeOrCostLimit(LIMITS, { ...BELOW, costUsd: 5 })).toMatchObject({
    limit: "cost",
    reason: "Cost limit reached ($5.00).",
  });
});

it("does not limit the cost of a run without a cost limit", () => {
  const limits = { ...LIMITS, maxCostUsd: undefined };
  expect(timeOrCostLimit(limits, { ...BELOW, costUsd: 1e6 })).toBeUndefined();
});

it("is the lowest of the story's own limit, its epic's budget and the day's", () => {
  const tightest = (maxCostUsd?: number, epicBudgetUsd?: number, dayUsd?: number) =>
    tightestLimit({ maxCostUsd, epicBudgetUsd }, dayUsd);
  expect(tightest()).toEqual({ maxCostUsd: undefined });
  expect(tightest(5, 7, 9)).toEqual({ maxCostUsd: 5 });
  const byDay = tightest(5, 7, 2);
  expect(byDay).toMatchObject({ maxCostUsd: 2, costEnd: { limit: "budget" } });
  const end = costLimit({ ...LIMITS, ...byDay });
  expect(end.reason).toBe("The budget of this day is spent: the last $2.00 went to this story.");
  expect(tightest(undefined, 3, 9).costEnd?.reason).toContain("The budget of the epic's run is");
  expect([end, costLimit(LIMITS)].map(isSpent)).toEqual([true, true]);
});

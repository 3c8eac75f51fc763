import { expect, it } from "vitest";
import { costLimit, cycleLimit, isSpent, timeOrCostLimit } from "./run-limits.ts";

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

it("is the story's own, or that of a budget that it shares", () => {
  const sharedReason = "The budget of this day is spent.";
  const [own, shared] = [costLimit(LIMITS), costLimit({ ...LIMITS, sharedReason })];
  expect(own).toMatchObject({ limit: "cost", reason: "Cost limit reached ($5.00)." });
  expect(shared).toMatchObject({ limit: "budget", reason: sharedReason });
  expect([own, shared].map(isSpent)).toEqual([true, true]);
});

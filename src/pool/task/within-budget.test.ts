import { expect, it } from "vitest";
import { tighterLimit } from "./within-budget.ts";

it("takes the task's own limit unless less is left of the day's budget", () => {
  expect(tighterLimit(undefined, undefined)).toEqual({ maxCostUsd: undefined });
  expect(tighterLimit(5, 5)).toEqual({ maxCostUsd: 5 });
  expect(tighterLimit(5, 2)).toEqual({
    maxCostUsd: 2,
    costEnd: {
      kind: "returned",
      reason: "The budget of this day is spent: the last $2.00 went to this task.",
    },
  });
});

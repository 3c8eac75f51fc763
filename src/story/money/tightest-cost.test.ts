import { expect, it } from "vitest";
import { tightestCost } from "./tightest-cost.ts";

it("is the lowest of the own limit, the epic's budget and the day's, and says whose budget it is", () => {
  const tightest = (ownUsd?: number, epicUsd?: number, dayUsd?: number) =>
    tightestCost({ ownUsd, epicUsd, dayUsd }, "task");
  expect(tightest()).toEqual({ maxCostUsd: undefined });
  expect(tightest(5, 7, 9)).toEqual({ maxCostUsd: 5 });
  expect(tightest(5, undefined, 5)).toEqual({ maxCostUsd: 5 });
  expect(tightest(5, 7, 2)).toEqual({
    maxCostUsd: 2,
    sharedReason: "The budget of this day is spent: the last $2.00 went to this task.",
  });
  expect(tightest(undefined, 3, 9).sharedReason).toContain("The budget of the epic's run is");
});

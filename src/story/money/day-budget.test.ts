import { describe, expect, it } from "vitest";
import { localDay } from "../../text/local-day.ts";
import { budgetLevel, dayBudget, reserve, usualCost, type LivingRun } from "./day-budget.ts";

const nowMs = new Date(2026, 10, 15, 12).getTime();
const [today, yesterday] = [localDay(nowMs), localDay(nowMs - 86_400_000)];

const aRun = (id: string, more: Partial<LivingRun> = {}): LivingRun => ({
  id,
  story: "a",
  startedAt: new Date(nowMs).toISOString(),
  costUsd: 0,
  isRunning: false,
  ...more,
});

const runs = [
  aRun("1", { costUsd: 5, costByDay: { [yesterday]: 4, [today]: 1 } }),
  aRun("2", { costUsd: 1, costByDay: { [today]: 1 }, reservedUsd: 3, isRunning: true }),
  aRun("3", { costUsd: 4, costByDay: { [today]: 4 }, reservedUsd: 3, isRunning: true }),
];

describe("the budget of a day", () => {
  it("counts what was spent today, and what running stories have not spent of their reservation", () => {
    expect(dayBudget(20, runs, { nowMs })).toEqual({
      budgetUsd: 20,
      spentUsd: 6,
      reservedUsd: 2,
      running: 2,
    });
  });

  it("gives the reservation to the earlier of two runs that start together", () => {
    const two = ["1", "2"].map((id) => aRun(id, { reservedUsd: 3, isRunning: true }));
    expect(dayBudget(4, two, { nowMs, ownRun: "1" })).toMatchObject({ reservedUsd: 0, running: 0 });
    expect(dayBudget(4, two, { nowMs, ownRun: "2" })).toMatchObject({ reservedUsd: 3, running: 1 });
  });

  it("is near at 80 %, and spent at 100 %", () => {
    expect([7.99, 8, 9.99, 10, 11].map((spent) => budgetLevel(10, spent))).toEqual([
      "free",
      "near",
      "near",
      "spent",
      "spent",
    ]);
  });
});

describe("a story that starts", () => {
  const budget = { budgetUsd: 10, spentUsd: 6, reservedUsd: 2, running: 1 };

  it("reserves its usual cost, and may spend the rest", () => {
    expect(reserve(budget, 2)).toEqual({ isReserved: true, reservedUsd: 2, maxCostUsd: 4 });
  });

  it("waits when the rest is reserved, unless it is alone", () => {
    expect(reserve(budget, 3)).toEqual({
      isReserved: false,
      reason:
        "Too little of this day's budget is left ($6.00 of $10.00 spent, $2.00 reserved for running stories).",
    });
    expect(reserve({ ...budget, running: 0, reservedUsd: 0 }, 30)).toEqual({
      isReserved: true,
      reservedUsd: 4,
      maxCostUsd: 4,
    });
  });

  it("does not start when the budget is spent", () => {
    expect(reserve({ ...budget, spentUsd: 10, running: 0 }, 1)).toEqual({
      isReserved: false,
      reason: "The budget of this day is spent ($10.00 of $10.00).",
    });
  });

  it("usually costs the median of this project's runs, at most its limit", () => {
    const worker = { pid: 1, startTime: "", bootId: "", place: "" };
    const ended = (costUsd: number) => ({ costUsd, endedAt: today, worker });
    const history = [9, 1, 2].map(ended);
    expect(usualCost(history, { budgetUsd: 50, maxCostUsd: undefined })).toBe(2);
    expect(usualCost(history, { budgetUsd: 50, maxCostUsd: 1.5 })).toBe(1.5);
    expect(usualCost(history.slice(1), { budgetUsd: 50, maxCostUsd: undefined })).toBe(10);
  });
});

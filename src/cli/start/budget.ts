// Whether the budgets allow a story to start. The worker reserves its part itself; this is the early answer.

import { SagaError } from "../../errors.ts";
import { readRunsSince } from "../../store/money/read-costs.ts";
import { HISTORY_MS, reserveToday } from "../../store/money/read-day-budget.ts";
import { usualCost } from "../../story/money/day-budget.ts";
import type { Settings } from "../../story/settings/settings.ts";

type BudgetSettings = Pick<Settings, "budget" | "run">;

export function requireBudget(settings: BudgetSettings, project: string, storyId: string): void {
  const reason = dayRefusal(project, settings);
  if (reason === undefined) return;
  throw new SagaError("not-ready", `Cannot start ${storyId}: ${asClause(reason)}.`, {
    hint: "Raise it with `saga config set budget.day <dollars>`. `saga cost` shows what was spent.",
  });
}

/** A sentence. Undefined if a story or task may start. */
export function dayRefusal(project: string, { budget, run }: BudgetSettings): string | undefined {
  if (budget.day === 0) return undefined;
  const maxCostUsd = run.maxCost || undefined;
  const query = { budgetUsd: budget.day, maxCostUsd, nowMs: Date.now() };
  const reservation = reserveToday(project, query);
  return reservation.isReserved ? undefined : reservation.reason;
}

export const asClause = (sentence: string): string =>
  sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");

/** Zero without a history. */
export const usualStoryCost = (project: string, { run }: BudgetSettings): number =>
  usualCost(readRunsSince(project, Date.now() - HISTORY_MS), {
    budgetUsd: 0,
    maxCostUsd: run.maxCost || undefined,
  });

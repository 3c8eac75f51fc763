// Keeps one piece of work, a story or a task of the pool, within its own limit and the budgets that it shares with others.

import { tightestCost, type CostLimit } from "../../story/money/tightest-cost.ts";
import {
  reserveBudget,
  watchBudget,
  type BudgetContext,
  type BudgetWatch,
} from "./watch-day-budget.ts";

export interface BudgetedWork<T> {
  readonly kind: "story" | "task";
  readonly maxCostUsd: number | undefined;
  /** The rest of the budget of an epic's run, if that started it. */
  readonly epicBudgetUsd?: number | undefined;
  /** `budget`: watched while it works. */
  readonly act: (limit: CostLimit, budget: BudgetWatch) => Promise<T>;
  /** The budget does not allow it; `reason`: a sentence. */
  readonly refused: (reason: string) => T;
}

export async function withinBudget<T>(
  context: BudgetContext,
  { kind, maxCostUsd, epicBudgetUsd, act, refused }: BudgetedWork<T>,
): Promise<T> {
  const day = await reserveBudget(context, maxCostUsd);
  if (day?.isReserved === false) return refused(day.reason);
  const limits = { ownUsd: maxCostUsd, epicUsd: epicBudgetUsd, dayUsd: day?.maxCostUsd };
  const watch = watchBudget(context);
  try {
    return await act(tightestCost(limits, kind), watch);
  } finally {
    watch.close();
  }
}

// Keeps a story within three limits of its cost: its own, the rest of its epic's budget, and the rest of the day's.

import { reserveBudget, watchBudget } from "../../store/money/watch-day-budget.ts";
import type { StoryEnd } from "../ending.ts";
import { budgetLimit, tightestLimit } from "../run-limits.ts";
import type { Work } from "../context.ts";

interface BudgetedWork<T> {
  readonly act: (work: Work) => Promise<T>;
  readonly refused: (end: StoryEnd) => T;
}

export async function withinBudget<T>(work: Work, { act, refused }: BudgetedWork<T>): Promise<T> {
  const { request, context, record } = work;
  const budgetContext = { ...context, record };
  const day = await reserveBudget(budgetContext, request.maxCostUsd);
  if (day?.isReserved === false) {
    // The story is in the same state as before.
    record.update({ isAside: true });
    return refused(budgetLimit(day.reason));
  }
  const watch = watchBudget(budgetContext);
  try {
    return await act({
      ...work,
      request: { ...request, ...tightestLimit(request, day?.maxCostUsd) },
      context: { ...context, budget: watch },
    });
  } finally {
    watch.close();
  }
}

// Keeps a task of the pool within its own cost limit and the rest of the day's budget. Its counterpart for stories is
// `worker/steps/within-budget.ts`.

import { reserveBudget, watchBudget } from "../../store/money/watch-day-budget.ts";
import type { SharedBudget } from "../../agent/job.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import { usd } from "../../text/usd.ts";
import type { PoolWorker, TaskLimits } from "./context.ts";
import type { TaskEnd } from "./outcome.ts";

interface TaskBudget {
  readonly budget: SharedBudget;
  readonly limits: TaskLimits;
}

/** A task that the budget does not allow goes back on the list as it was. */
export async function withinBudget(
  worker: PoolWorker,
  record: RunRecord,
  act: (budget: TaskBudget) => Promise<TaskEnd>,
): Promise<TaskEnd> {
  const context = { ...worker, record };
  const own = worker.settings.run.maxCost || undefined;
  const day = await reserveBudget(context, own);
  if (day?.isReserved === false) return { kind: "returned", reason: day.reason };
  const watch = watchBudget(context);
  try {
    return await act({ budget: watch, limits: tighterLimit(own, day?.maxCostUsd) });
  } finally {
    watch.close();
  }
}

/** The lower of the task's own limit and the rest of the day's budget. */
export function tighterLimit(own: number | undefined, dayUsd: number | undefined): TaskLimits {
  if (dayUsd === undefined || dayUsd >= (own ?? Infinity)) return { maxCostUsd: own };
  const reason = `The budget of this day is spent: the last ${usd(dayUsd)} went to this task.`;
  return { maxCostUsd: dayUsd, costEnd: { kind: "returned", reason } };
}

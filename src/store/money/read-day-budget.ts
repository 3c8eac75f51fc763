// Reads what the day's budget is judged by: the runs of today and their workers.

import {
  dayBudget,
  reserve,
  usualCost,
  type DayBudget,
  type Reservation,
} from "../../story/money/day-budget.ts";
import type { Run } from "../../story/state/run.ts";
import { hasRunEnded } from "../runs/run-processes.ts";
import { readRunsSince } from "./read-costs.ts";

export interface BudgetQuery {
  readonly budgetUsd: number;
  readonly nowMs: number;
  /** A run that asks for itself: only earlier runs have reserved before it. */
  readonly ownRun?: string | undefined;
}

export const readDayBudget = (project: string, query: BudgetQuery): DayBudget =>
  budgetOf(readRunsSince(project, startOfDay(query.nowMs)), query);

/** For the start of a story. `maxCostUsd`: its own limit. */
export function reserveToday(
  project: string,
  query: BudgetQuery & { readonly maxCostUsd: number | undefined },
): Reservation {
  const runs = readRunsSince(project, query.nowMs - HISTORY_MS);
  return reserve(budgetOf(runs, query), usualCost(runs, query));
}

/** How much of the past counts for what a story usually costs. */
export const HISTORY_MS = 30 * 24 * 3_600_000;

const budgetOf = (runs: readonly Run[], { budgetUsd, nowMs, ownRun }: BudgetQuery): DayBudget =>
  dayBudget(
    budgetUsd,
    runs.map((run) => ({ ...run, isRunning: run.id !== ownRun && isRunning(run) })),
    { nowMs, ownRun },
  );

const isRunning = (run: Run): boolean => run.worker !== undefined && !hasRunEnded(run);

const startOfDay = (nowMs: number): number => new Date(nowMs).setHours(0, 0, 0, 0);

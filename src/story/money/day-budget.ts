// The budget of a day (`budget.day`): what is spent, what running stories are expected to need, and whether another story
// may start.

import { localDay } from "../../text/local-day.ts";
import { usd } from "../../text/usd.ts";
import type { Run } from "../state/run.ts";
import { rounded } from "./amounts.ts";
import { costOf } from "./spending.ts";

export interface DayBudget {
  readonly budgetUsd: number;
  /** Today, by all runs of the project. */
  readonly spentUsd: number;
  /** What running stories have reserved and not spent yet. */
  readonly reservedUsd: number;
  readonly running: number;
}

/** A run, and whether its worker is alive. */
export type LivingRun = Pick<
  Run,
  "id" | "story" | "startedAt" | "costUsd" | "costByDay" | "reservedUsd"
> & { readonly isRunning: boolean };

export function dayBudget(
  budgetUsd: number,
  runs: readonly LivingRun[],
  { nowMs, ownRun }: { readonly nowMs: number; readonly ownRun?: string | undefined },
): DayBudget {
  const today = localDay(nowMs);
  const spent = (run: LivingRun): number => costOf(run, undefined).byDay[today] ?? 0;
  // Of two that start at the same time, the earlier one has its reservation.
  const others = runs.filter(
    ({ id, isRunning }) => isRunning && (ownRun === undefined || id < ownRun),
  );
  return {
    budgetUsd,
    spentUsd: rounded(runs.reduce((sum, run) => sum + spent(run), 0)),
    reservedUsd: rounded(
      others.reduce((sum, run) => sum + Math.max(0, (run.reservedUsd ?? 0) - spent(run)), 0),
    ),
    running: others.length,
  };
}

const NEAR = 0.8;

export type BudgetLevel = "free" | "near" | "spent";

export const budgetLevel = (budgetUsd: number, spentUsd: number): BudgetLevel =>
  spentUsd >= budgetUsd ? "spent" : spentUsd >= budgetUsd * NEAR ? "near" : "free";

export type Reservation =
  | { readonly isReserved: true; readonly reservedUsd: number; readonly maxCostUsd: number }
  | { readonly isReserved: false; readonly reason: string };

/**
 * Reserves what a story usually costs. When the rest is less than that, it only starts alone: it then has the rest for
 * itself, and two stories would both be stopped in the middle.
 */
export function reserve(
  { budgetUsd, spentUsd, reservedUsd, running }: DayBudget,
  usualUsd: number,
): Reservation {
  const restUsd = rounded(budgetUsd - spentUsd);
  if (restUsd <= 0) return { isReserved: false, reason: spentReason(budgetUsd, spentUsd) };
  const freeUsd = rounded(restUsd - reservedUsd);
  if (running > 0 && freeUsd < usualUsd) {
    return { isReserved: false, reason: reservedReason(budgetUsd, spentUsd, reservedUsd) };
  }
  return {
    isReserved: true,
    reservedUsd: rounded(Math.min(usualUsd, restUsd)),
    maxCostUsd: restUsd,
  };
}

export const spentReason = (budgetUsd: number, spentUsd: number): string =>
  `The budget of this day is spent (${usd(spentUsd)} of ${usd(budgetUsd)}).`;

const reservedReason = (budgetUsd: number, spentUsd: number, reservedUsd: number): string =>
  `Too little of this day's budget is left (${usd(spentUsd)} of ${usd(budgetUsd)} spent, ${usd(reservedUsd)} reserved for running stories).`;

/** For a pool that starts no task because of its budget. */
export const pausedPool = (reason: string): string =>
  `The pool starts no task for now: ${reason} Raise the budget with \`saga config set budget.day <dollars>\`, or wait until tomorrow.`;

/** Without a history, a fifth of the budget; never more than the story's own limit. */
export function usualCost(
  history: readonly Pick<Run, "costUsd" | "endedAt" | "worker">[],
  {
    budgetUsd,
    maxCostUsd,
  }: { readonly budgetUsd: number; readonly maxCostUsd: number | undefined },
): number {
  const costs = history
    .filter(({ costUsd, endedAt, worker }) => costUsd > 0 && endedAt && worker)
    .map(({ costUsd }) => costUsd)
    .toSorted((one, other) => one - other);
  const median = costs[Math.floor(costs.length / 2)];
  const usual = costs.length < MIN_HISTORY ? budgetUsd / 5 : (median ?? 0);
  return rounded(Math.min(usual, maxCostUsd ?? Infinity));
}

const MIN_HISTORY = 3;

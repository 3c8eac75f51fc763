// Keeps a worker within the budget of the day: it reserves what its story usually costs, and ends the run in an orderly way
// when all runs together have spent the budget.

import { messageOf } from "../../errors.ts";
import { readDayBudget, reserveToday } from "../../store/money/read-day-budget.ts";
import { budgetLevel, spentReason, type DayBudget } from "../../story/money/day-budget.ts";
import type { StoryEnd } from "../ending.ts";
import type { Work } from "../context.ts";

interface BudgetedWork<T> {
  readonly act: (work: Work) => Promise<T>;
  readonly refused: (end: StoryEnd) => T;
}

export async function withinBudget<T>(work: Work, { act, refused }: BudgetedWork<T>): Promise<T> {
  const { request, context, record } = work;
  const start = reserveBudget(work);
  if ("refusal" in start) {
    // The story is in the same state as before.
    record.update({ isAside: true });
    return refused(start.refusal);
  }
  const watch = watchBudget(work);
  try {
    return await act({
      ...work,
      request: { ...request, maxCostUsd: start.maxCostUsd },
      context: {
        ...context,
        stop: AbortSignal.any([context.stop, watch.signal]),
        limitOfStop: () => watch.reason() ?? context.limitOfStop?.(),
      },
    });
  } finally {
    watch.end();
  }
}

export type BudgetStart =
  | { readonly maxCostUsd: number | undefined }
  | { readonly refusal: StoryEnd };

/** Returns the story's cost limit, which is at most the rest of the day's budget. */
export function reserveBudget({ request, context, record }: Work): BudgetStart {
  const budgetUsd = context.settings.budget.day;
  const { maxCostUsd } = request;
  if (budgetUsd === 0) return { maxCostUsd };
  const ownRun = record.run().id;
  const query = { budgetUsd, maxCostUsd, nowMs: context.now(), ownRun };
  const reservation = reserveToday(context.store.project, query);
  if (!reservation.isReserved) {
    return { refusal: { outcome: "limit", limit: "cost", reason: reservation.reason } };
  }
  record.update({ reservedUsd: reservation.reservedUsd });
  return { maxCostUsd: Math.min(maxCostUsd ?? Infinity, reservation.maxCostUsd) };
}

export interface BudgetWatch {
  readonly signal: AbortSignal;
  /** The reason, as a sentence, after the signal aborted. */
  readonly reason: () => string | undefined;
  readonly end: () => void;
}

const LOOK_EVERY_MS = 5_000;

export function watchBudget(
  { context, record }: Pick<Work, "context" | "record">,
  everyMs = LOOK_EVERY_MS,
): BudgetWatch {
  const spent = new AbortController();
  const budgetUsd = context.settings.budget.day;
  let reason: string | undefined;
  let isNearTold = false;
  let isFaultTold = false;
  const timer = budgetUsd === 0 ? undefined : setInterval(look, everyMs).unref();
  return {
    signal: spent.signal,
    reason: () => reason,
    end: () => clearInterval(timer),
  };

  function look(): void {
    try {
      judge(readDayBudget(context.store.project, { budgetUsd, nowMs: context.now() }));
    } catch (error) {
      if (!isFaultTold) record.warn(`The day's budget could not be read: ${messageOf(error)}`);
      isFaultTold = true;
    }
  }

  function judge(budget: DayBudget): void {
    const level = budgetLevel(budgetUsd, budget.spentUsd);
    if (level === "free") return;
    if (!isNearTold) {
      isNearTold = true;
      context.onBudget?.(budget);
    }
    if (level !== "spent" || spent.signal.aborted) return;
    reason = spentReason(budgetUsd, budget.spentUsd);
    spent.abort();
  }
}

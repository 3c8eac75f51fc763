// Keeps a worker within the budget of the day, for stories and pool tasks alike: it reserves what the work usually costs,
// notices when all runs together have spent the budget, or when an epic's run has spent its own.

import { messageOf } from "../../errors.ts";
import { readDayBudget, reserveToday } from "./read-day-budget.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import type { Store } from "../store.ts";
import type { Settings } from "../../story/settings/settings.ts";
import {
  budgetLevel,
  spentReason,
  type DayBudget,
  type Reservation,
} from "../../story/money/day-budget.ts";

export interface BudgetContext {
  readonly store: Pick<Store, "project" | "settings">;
  /** As they were at the start: they count while the file cannot be read. */
  readonly settings: Pick<Settings, "budget">;
  readonly now: () => number;
  readonly record: Pick<RunRecord, "run" | "update" | "warn">;
  /** Called once when most of the day's budget is spent. */
  readonly onBudget?: ((budget: DayBudget) => void) | undefined;
  /** Why an epic's run wants the work drained, as a sentence. */
  readonly drainRequest?: (() => string | undefined) | undefined;
}

/** Undefined without a budget. `maxCostUsd`: the own limit of the work. */
export async function reserveBudget(
  context: BudgetContext,
  maxCostUsd: number | undefined,
): Promise<Reservation | undefined> {
  const { store, now, record } = context;
  const budgetUsd = await dayBudgetNow(context);
  if (budgetUsd === 0) return undefined;
  const query = { budgetUsd, maxCostUsd, nowMs: now(), ownRun: record.run().id };
  const reservation = reserveToday(store.project, query);
  if (reservation.isReserved) record.update({ reservedUsd: reservation.reservedUsd });
  return reservation;
}

/** Read each time: a person may raise the budget while the work runs, and the file may be half written. */
const dayBudgetNow = async ({ store, settings }: BudgetContext): Promise<number> =>
  (await store.settings().catch(() => settings)).budget.day;

export interface BudgetWatch {
  /** Aborts when the budget is spent. */
  readonly signal: AbortSignal;
  /** Then: the reason, as a sentence. */
  readonly reason: () => string | undefined;
  readonly close: () => void;
}

const LOOK_EVERY_MS = 5_000;

export function watchBudget(context: BudgetContext, everyMs = LOOK_EVERY_MS): BudgetWatch {
  const { store, now, record, onBudget, drainRequest } = context;
  const spent = new AbortController();
  let reason: string | undefined;
  let isNearReported = false;
  let isErrorReported = false;
  let isLooking = false;
  const timer = setInterval(() => void look(), everyMs).unref();
  return {
    signal: spent.signal,
    reason: () => reason,
    close: () => clearInterval(timer),
  };

  async function look(): Promise<void> {
    if (isLooking || spent.signal.aborted) return;
    isLooking = true;
    try {
      const request = drainRequest?.();
      if (request !== undefined) return drain(request);
      const budgetUsd = await dayBudgetNow(context);
      if (budgetUsd > 0) judge(readDayBudget(store.project, { budgetUsd, nowMs: now() }));
    } catch (error) {
      if (!isErrorReported) record.warn(`The day's budget could not be read: ${messageOf(error)}`);
      isErrorReported = true;
    } finally {
      isLooking = false;
    }
  }

  function judge(budget: DayBudget): void {
    const level = budgetLevel(budget.budgetUsd, budget.spentUsd);
    if (level === "free") return;
    if (!isNearReported) {
      isNearReported = true;
      onBudget?.(budget);
    }
    if (level === "spent") drain(spentReason(budget.budgetUsd, budget.spentUsd));
  }

  function drain(sentence: string): void {
    reason = sentence;
    spent.abort();
  }
}

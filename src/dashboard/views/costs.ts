// What runs have cost, and what is left of the day's budget, by the same rules as `saga cost`.

import type { Context } from "../../context.ts";
import { readCosts } from "../../store/money/read-costs.ts";
import { readDayBudget } from "../../store/money/read-day-budget.ts";
import { spendingBy, spentSince, totalOf } from "../../story/money/spending.ts";
import { localDay } from "../../text/local-day.ts";
import { rangeFacts, type ProjectCache } from "../project/cache.ts";
import type { Costs } from "../protocol/details.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;

/** `days`: with today as the last. */
export async function readCostsOf(
  { store, now, cache }: Pick<Context, "store" | "now"> & { readonly cache: ProjectCache },
  days: number,
): Promise<Costs> {
  const nowMs = now();
  const shown = Math.min(MAX_DAYS, Math.max(1, Math.floor(days) || 1));
  const first = localDay(nowMs - (shown - 1) * DAY_MS);
  const all = readCosts(store.project, {
    sinceMs: new Date(`${first}T00:00`).getTime(),
    epicOf: (story) => rangeFacts(cache, story).epic,
  });
  const costs = spentSince(all, first);
  const { budget } = await store.settings();
  return {
    by: {
      day: spendingBy(costs, "day"),
      epic: spendingBy(costs, "epic"),
      story: spendingBy(costs, "story"),
      model: spendingBy(costs, "model"),
    },
    total: totalOf(costs),
    ...(budget.day > 0 && {
      today: readDayBudget(store.project, { budgetUsd: budget.day, nowMs }),
    }),
    epicBudgetUsd: budget.epic,
  };
}

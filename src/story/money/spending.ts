// What runs have cost, by day, epic, story or model. Used by `saga cost`, the budgets and the page.

import { localDay } from "../../text/local-day.ts";
import type { Run } from "../state/run.ts";
import { rounded, type Amounts } from "./amounts.ts";

export interface RunCost {
  readonly run: string;
  /** The story, or a worker of the pool. */
  readonly story: string;
  readonly epic: string | undefined;
  readonly costUsd: number;
  readonly isEstimate: boolean;
  readonly byDay: Amounts;
  readonly byModel: Amounts;
}

/** Records of earlier versions have neither days nor models: then the start and the chosen model count. */
export function costOf(run: CostedRun, epic: string | undefined): RunCost {
  const { id, story, startedAt, costUsd, costIsEstimate = false, model = UNKNOWN } = run;
  return {
    run: id,
    story,
    epic,
    costUsd,
    isEstimate: costIsEstimate,
    byDay: run.costByDay ?? { [localDay(Date.parse(startedAt))]: costUsd },
    byModel: run.costByModel ?? { [model]: costUsd },
  };
}

export type CostedRun = Pick<Run, "id" | "story" | "startedAt" | "costUsd"> &
  Partial<Pick<Run, "costIsEstimate" | "model" | "costByDay" | "costByModel">>;

const UNKNOWN = "unknown";
/** For stories without an epic, and the pool. */
const NO_EPIC = "(no epic)";

export const SPENDING_GROUPS = ["day", "epic", "story", "model"] as const;
export type SpendingGroup = (typeof SPENDING_GROUPS)[number];

export interface SpendingRow {
  readonly name: string;
  readonly costUsd: number;
  /** Some of it is Saga's estimate. */
  readonly isEstimate: boolean;
  readonly runs: number;
}

/** Days newest first, everything else by cost. */
export function spendingBy(costs: readonly RunCost[], by: SpendingGroup): SpendingRow[] {
  const rows = new Map<string, SpendingRow>();
  for (const cost of costs) {
    for (const [name, costUsd] of Object.entries(partsOf(cost, by))) {
      if (costUsd === 0) continue;
      const { runs = 0, isEstimate = false, costUsd: before = 0 } = rows.get(name) ?? {};
      rows.set(name, {
        name,
        costUsd: rounded(before + costUsd),
        isEstimate: isEstimate || cost.isEstimate,
        runs: runs + 1,
      });
    }
  }
  const order = by === "day" ? byNameDown : byCostDown;
  return [...rows.values()].toSorted(order);
}

function partsOf({ story, epic, costUsd, byDay, byModel }: RunCost, by: SpendingGroup): Amounts {
  switch (by) {
    case "day":
      return byDay;
    case "model":
      return byModel;
    case "story":
      return { [story]: costUsd };
    case "epic":
      return { [epic ?? NO_EPIC]: costUsd };
  }
}

const byNameDown = (one: SpendingRow, other: SpendingRow): number =>
  one.name < other.name ? 1 : -1;
const byCostDown = (one: SpendingRow, other: SpendingRow): number =>
  other.costUsd - one.costUsd || (one.name < other.name ? -1 : 1);

/** Only what was spent on this day or later. A run that crosses midnight counts in part. */
export const spentSince = (costs: readonly RunCost[], firstDay: string): RunCost[] =>
  costs.flatMap((cost) => {
    const byDay = Object.fromEntries(Object.entries(cost.byDay).filter(([day]) => day >= firstDay));
    const costUsd = sumOf(byDay);
    if (costUsd === 0) return [];
    if (costUsd >= cost.costUsd) return [{ ...cost, byDay }];
    const share = costUsd / cost.costUsd;
    const byModel = Object.fromEntries(
      Object.entries(cost.byModel).map(([model, amount]) => [model, rounded(amount * share)]),
    );
    return [{ ...cost, costUsd, byDay, byModel }];
  });

export const totalOf = (costs: readonly RunCost[]): Omit<SpendingRow, "name"> => ({
  costUsd: rounded(costs.reduce((sum, { costUsd }) => sum + costUsd, 0)),
  isEstimate: costs.some(({ isEstimate, costUsd }) => isEstimate && costUsd > 0),
  // As in the rows: merges are recorded as runs too, and cost nothing.
  runs: costs.filter(({ costUsd }) => costUsd > 0).length,
});

const sumOf = (amounts: Amounts): number =>
  rounded(Object.values(amounts).reduce((sum, amount) => sum + amount, 0));

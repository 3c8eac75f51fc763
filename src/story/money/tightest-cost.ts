// How much one piece of work may cost: its own limit, unless less is left of a budget that it shares with others.

import { usd } from "../../text/usd.ts";

export interface CostLimit {
  readonly maxCostUsd: number | undefined;
  /** Why the work ends there, if that is the rest of a shared budget; a sentence. */
  readonly sharedReason?: string | undefined;
}

interface CostLimits {
  readonly ownUsd?: number | undefined;
  /** The rest of the budget of an epic's run, if that started it. */
  readonly epicUsd?: number | undefined;
  /** The rest of the day's budget. */
  readonly dayUsd?: number | undefined;
}

export function tightestCost(
  { ownUsd = Infinity, epicUsd = Infinity, dayUsd = Infinity }: CostLimits,
  work: "story" | "task",
): CostLimit {
  const maxCostUsd = Math.min(ownUsd, epicUsd, dayUsd);
  if (maxCostUsd === Infinity) return { maxCostUsd: undefined };
  if (maxCostUsd === ownUsd) return { maxCostUsd };
  const whose = maxCostUsd === dayUsd ? "this day" : "the epic's run";
  const sharedReason = `The budget of ${whose} is spent: the last ${usd(maxCostUsd)} went to this ${work}.`;
  return { maxCostUsd, sharedReason };
}

// Whether the budget of an epic's run allows a member to start one of its stories. Pure.

import { affordableStories } from "../../story/money/affordable-stories.ts";
import type { EpicBudget } from "../engine/epic-budgets.ts";

export type BudgetAnswer =
  | { readonly kind: "start"; readonly leftUsd: number | undefined }
  /** The rest is for the stories that run already. */
  | { readonly kind: "later" }
  | { readonly kind: "spent"; readonly budgetUsd: number };

interface Running {
  /** How many of the epic's stories run now. */
  readonly running: number;
  /** What a story usually costs here; 0 if that is unknown. */
  readonly usualUsd: number;
}

export function askBudget(
  budget: Pick<EpicBudget, "budgetUsd" | "spentUsd"> | undefined,
  { running, usualUsd }: Running,
): BudgetAnswer {
  if (budget === undefined) return { kind: "start", leftUsd: undefined };
  const { budgetUsd, spentUsd } = budget;
  const leftUsd = budgetUsd - spentUsd;
  if (leftUsd <= 0) return { kind: "spent", budgetUsd };
  const isAffordable = running < affordableStories({ leftUsd, usualUsd, running });
  return isAffordable ? { kind: "start", leftUsd } : { kind: "later" };
}

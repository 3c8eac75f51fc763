// Decides which rules an approval must override, and which it may. Pure.

import { BY_LOOKING } from "../../../story/receipts/override.ts";
import type { StoryDetail } from "../../protocol/details.ts";

export interface RuleChoice {
  readonly rule: string;
  readonly messages: readonly string[];
  /** The gate found this in the current code: without the override the approval fails. */
  readonly isNeeded: boolean;
}

/** The findings in the current code, and, if no gate has run on it yet, those of the last gate in older code. */
export function ruleChoices({ mergeBlockers, lastMergeBlockers = [] }: StoryDetail): RuleChoice[] {
  const needed = choices(mergeBlockers, true);
  const isListed = (rule: string): boolean => needed.some((one) => one.rule === rule);
  return [...needed, ...choices(lastMergeBlockers, false).filter(({ rule }) => !isListed(rule))];
}

function choices(mergeBlockers: StoryDetail["mergeBlockers"], isNeeded: boolean): RuleChoice[] {
  const byRule = new Map<string, string[]>();
  for (const { rule, message } of mergeBlockers) {
    // The approval itself satisfies these.
    if (BY_LOOKING.has(rule) || rule === "person") continue;
    byRule.set(rule, [...(byRule.get(rule) ?? []), message]);
  }
  return [...byRule].map(([rule, messages]) => ({ rule, messages, isNeeded }));
}

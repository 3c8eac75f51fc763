// Which rules an approval has to set aside, and which it may. Pure.

import { BY_LOOKING } from "../../../story/receipts/override.ts";
import type { StoryDetail } from "../../protocol/details.ts";

export interface RuleChoice {
  readonly rule: string;
  readonly messages: readonly string[];
  /** The gate said so about the code as it is now: without this rule the approval would be refused. */
  readonly isNeeded: boolean;
}

/**
 * The findings about the code as it is, or, where no gate has judged it yet, those that the last gate had about the
 * code before.
 */
export function ruleChoices({ objections, lastObjections = [] }: StoryDetail): RuleChoice[] {
  const needed = choices(objections, true);
  const isListed = (rule: string): boolean => needed.some((one) => one.rule === rule);
  return [...needed, ...choices(lastObjections, false).filter(({ rule }) => !isListed(rule))];
}

function choices(objections: StoryDetail["objections"], isNeeded: boolean): RuleChoice[] {
  const byRule = new Map<string, string[]>();
  for (const { rule, message } of objections) {
    // That a person has looked is what an approval says by itself.
    if (BY_LOOKING.has(rule) || rule === "person") continue;
    byRule.set(rule, [...(byRule.get(rule) ?? []), message]);
  }
  return [...byRule].map(([rule, messages]) => ({ rule, messages, isNeeded }));
}

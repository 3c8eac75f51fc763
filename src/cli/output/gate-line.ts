// A story's gate in one line, by the same rules as a merge: what a person has overridden does not count.

import { count } from "../../text/plural.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { receiptsFor } from "../../story/receipts/latest-receipts.ts";
import {
  mergeReadiness,
  reasonsAgainst,
  type Requirements,
} from "../../story/receipts/merge-readiness.ts";

/** As many as fit on a line. */
const MAX_REASONS = 3;

/** For the current code if its tree is known, else for the code that was checked last. Undefined before the first check. */
export function gateLine(
  receipts: readonly Receipt[],
  required: Requirements,
  treeNow?: string,
): string | undefined {
  const ofStory = receipts.filter(({ task }) => task === undefined);
  const tree = treeNow ?? ofStory.at(-1)?.tree;
  if (ofStory.length === 0 || tree === undefined) return undefined;
  const current = receiptsFor(ofStory, tree);
  const reasons = [...new Set(reasonsAgainst(mergeReadiness(current, required)))];
  const verdict =
    reasons.length === 0
      ? `passed (${count(current.length, "result")} for tree ${tree.slice(0, 12)})`
      : `NOT passed: ${shortened(reasons)}`;
  return [verdict, approvalText(current)].filter((part) => part !== undefined).join("; ");
}

/** Why a gate did not pass: one reason on the same line, several below it. */
export const notPassedLines = (reasons: readonly string[]): string[] =>
  reasons.length === 1
    ? [`Not passed: ${reasons[0]}`]
    : ["Not passed:", ...reasons.map((reason) => `  ${reason}`)];

function shortened(reasons: readonly string[]): string {
  const more = reasons.length - MAX_REASONS;
  return [...reasons.slice(0, MAX_REASONS), ...(more > 0 ? [`(and ${more} more)`] : [])].join(" ");
}

/** A person's approval or override. A story that was sent back has it among its reasons instead. */
function approvalText(receipts: readonly Receipt[]): string | undefined {
  const decision = receipts.findLast(({ gate }) => gate === "person");
  if (!decision?.isPassed) return undefined;
  if (!decision.overridden) return decision.how;
  const { who, rules, why } = decision.overridden;
  return `${who} overrode ${[...new Set(rules)].join(", ")}: ${why}`;
}

// Where a story stands with its gate, in one line: by the same rules as a merge, so that what was set
// aside stands in the way of nothing here either. Pure.

import { count } from "../../text/plural.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { receiptsFor } from "../../story/receipts/latest-receipts.ts";
import { mergeReadiness, type Requirements } from "../../story/receipts/merge-readiness.ts";

/** More than a line holds. */
const MAX_REASONS = 3;

/** For the code as it is, where that is known, else for the code that was judged last; nothing when none was. */
export function gateLine(
  receipts: readonly Receipt[],
  required: Requirements,
  treeNow?: string,
): string | undefined {
  const ofStory = receipts.filter(({ task }) => task === undefined);
  const tree = treeNow ?? ofStory.at(-1)?.tree;
  if (ofStory.length === 0 || tree === undefined) return undefined;
  const held = receiptsFor(ofStory, tree);
  const { missing, objections } = mergeReadiness(held, required);
  const reasons = [...new Set([...objections.map(({ message }) => message), ...missing])];
  const verdict =
    reasons.length === 0
      ? `passed (${count(held.length, "receipt")}, tree ${tree.slice(0, 12)})`
      : `NOT passed: ${shortened(reasons)}`;
  return [verdict, wordOf(held)].filter((part) => part !== undefined).join("; ");
}

function shortened(reasons: readonly string[]): string {
  const more = reasons.length - MAX_REASONS;
  return [...reasons.slice(0, MAX_REASONS), ...(more > 0 ? [`(and ${more} more)`] : [])].join(" ");
}

/** What a person has set aside, or that one has accepted it; that one has sent it back is a reason. */
function wordOf(held: readonly Receipt[]): string | undefined {
  const word = held.findLast(({ gate }) => gate === "person");
  if (!word?.isPassed) return undefined;
  if (!word.overridden) return word.how;
  const { who, rules, why } = word.overridden;
  return `${who} set aside ${[...new Set(rules)].join(", ")}: ${why}`;
}

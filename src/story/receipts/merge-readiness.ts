// What blocks a story from being merged: gates that have not run on this code, and mergeBlockers of those that have.
// Pure: decides from the receipts for exactly this code.

import { findingText } from "./finding-text.ts";
import { factsOf, setAsideBy, type BlockerFacts } from "./blocker-key.ts";
import type { KeyedFinding, Receipt } from "./receipt.ts";

export interface Requirements {
  readonly checks: readonly string[];
  readonly needsTesting: boolean;
  readonly needsReview: boolean;
  /**
   * Where the story now asks for less than when it began (`weakened-definition.ts`). `as-judged` only for code that
   * cannot be merged any more: then the findings of the receipts count.
   */
  readonly weakened: readonly KeyedFinding[] | "as-judged";
}

/** What a gate has against the code. A person may override it by its rule. */
export interface MergeBlocker extends BlockerFacts {
  readonly message: string;
}

export interface MergeReadiness {
  /** Gates without a receipt for this code, as ends of a sentence. */
  readonly missing: readonly string[];
  readonly mergeBlockers: readonly MergeBlocker[];
}

/** In sentences; empty when it can be merged. Findings come first: checks may be missing only because of them. */
export const reasonsAgainst = ({ missing, mergeBlockers }: MergeReadiness): string[] => [
  ...mergeBlockers.map(({ message }) => message),
  ...missing,
];

/** Takes the newest receipts for one tree (`receiptsFor`). */
export function mergeReadiness(
  receipts: readonly Receipt[],
  required: Requirements,
): MergeReadiness {
  const missing: string[] = [];
  const mergeBlockers: MergeBlocker[] = [];
  const decision = receipts.findLast(({ gate }) => gate === "person");
  const approval = decision?.isPassed ? decision : undefined;
  const isSetAside = setAsideBy(approval?.overridden?.objections);
  const block = (blocker: MergeBlocker): void => {
    if (!isSetAside(blocker)) mergeBlockers.push(blocker);
  };
  // Holds until the code changes, or a person accepts it after all.
  if (decision && !decision.isPassed) {
    block({ rule: "person", message: "A person sent it back.", key: "" });
  }
  const diff = receipts.find(({ gate }) => gate === "diff");
  if (diff === undefined) missing.push("its diff was not checked");
  // A receipt's tree does not contain the story's files, so their current state counts.
  const found = diff?.findings ?? [];
  const findings =
    required.weakened === "as-judged"
      ? found
      : [...found.filter(({ rule }) => rule !== "definition"), ...required.weakened];
  for (const finding of findings) {
    block({ ...factsOf(finding), message: findingText(finding) });
  }
  // A task's check ran in its agent's worktree, not on a clean checkout.
  const checks = receipts.filter(({ gate, task }) => gate === "check" && task === undefined);
  for (const check of required.checks) {
    const receipt = checks.find(({ command }) => command === check);
    if (receipt === undefined) missing.push(`its check \`${check}\` was not run`);
    else if (!receipt.isPassed) block(failed(check, `failed (${receipt.how}).`));
  }
  for (const { command = "", isPassed, how } of checks) {
    if (isPassed || required.checks.includes(command)) continue;
    block(failed(command, `failed (${how}), and is no longer a check of the story.`));
  }
  for (const [gate, isNeeded, who] of [
    ["test", required.needsTesting, "tester"],
    ["review", required.needsReview, "reviewer"],
  ] as const) {
    const isPassed =
      approval ?? receipts.find((receipt) => receipt.gate === gate && receipt.isPassed);
    if (isNeeded && !isPassed) {
      block({ rule: gate, message: `The ${who} has not passed it yet.`, key: "" });
    }
  }
  return { missing, mergeBlockers };
}

const failed = (check: string, how: string): MergeBlocker => ({
  rule: "check",
  message: `The check \`${check}\` ${how}`,
  key: check,
});

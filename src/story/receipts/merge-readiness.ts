// What stands between a story's code and its target: gates that nobody ran, and what they refuse. Pure:
// from the receipts for exactly this code.

import { findingText } from "./finding-text.ts";
import { factsOf, setAsideBy, type ObjectionFacts } from "./objection-key.ts";
import type { KeyedFinding, Receipt } from "./receipt.ts";

export interface Requirements {
  readonly checks: readonly string[];
  readonly needsTesting: boolean;
  readonly needsReview: boolean;
  /**
   * Where the story asks for less than when it began (`weakened.ts`), now and not when it was judged.
   * Nothing for who only shows what was said then.
   */
  readonly weakened?: readonly KeyedFinding[] | undefined;
}

/** Something that a person may set aside, by its rule. */
export interface Objection extends ObjectionFacts {
  readonly message: string;
}

export interface Standing {
  /** Gates without a receipt for this code, as ends of a sentence. */
  readonly missing: readonly string[];
  readonly objections: readonly Objection[];
}

/** The receipts must all be about the same code, the newest of each. */
export function standingOf(receipts: readonly Receipt[], required: Requirements): Standing {
  const missing: string[] = [];
  const objections: Objection[] = [];
  const word = receipts.findLast(({ gate }) => gate === "person");
  const person = word?.isPassed ? word : undefined;
  const isSetAside = setAsideBy(person?.overridden?.objections);
  const object = (objection: Objection): void => {
    if (!isSetAside(objection)) objections.push(objection);
  };
  // Until the code is another, or someone accepts it after all.
  if (word && !word.isPassed) {
    object({ rule: "person", message: "A person has sent it back.", key: "" });
  }
  const diff = receipts.find(({ gate }) => gate === "diff");
  if (diff === undefined) missing.push("its diff was not looked at");
  // The story's files are no part of the code that a receipt is about: of them, what is now counts.
  const { weakened } = required;
  const found = (diff?.findings ?? []).filter(({ rule }) => !weakened || rule !== "definition");
  for (const one of [...found, ...(weakened ?? [])]) {
    object({ ...factsOf(one), message: findingText(one) });
  }
  // A task may have the same check; that was run where its agent works, not on a clean checkout.
  const checks = receipts.filter(({ gate, task }) => gate === "check" && task === undefined);
  for (const check of required.checks) {
    const receipt = checks.find(({ command }) => command === check);
    if (receipt === undefined) missing.push(`its check \`${check}\` was not run`);
    else if (!receipt.isPassed) object(failed(check, `failed (${receipt.how}).`));
  }
  for (const { command = "", isPassed, how } of checks) {
    if (isPassed || required.checks.includes(command)) continue;
    object(failed(command, `failed (${how}), and is none of the story's any more.`));
  }
  for (const [gate, isNeeded, who] of [
    ["test", required.needsTesting, "tester"],
    ["review", required.needsReview, "reviewer"],
  ] as const) {
    const isPassed =
      person ?? receipts.find((receipt) => receipt.gate === gate && receipt.isPassed);
    if (isNeeded && !isPassed) {
      object({ rule: gate, message: `No ${who} has passed it yet.`, key: "" });
    }
  }
  return { missing, objections };
}

const failed = (check: string, how: string): Objection => ({
  rule: "check",
  message: `The check \`${check}\` ${how}`,
  key: check,
});

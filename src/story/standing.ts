// What stands between a story's code and its target: gates that nobody ran, and what they refuse. Pure:
// from the receipts for exactly this code.

import { findingText, type Receipt, type Rule } from "./receipt.ts";

export interface Requirements {
  readonly checks: readonly string[];
  readonly needsTesting: boolean;
  readonly needsReview: boolean;
}

/** Something that a person may set aside, by its rule. */
export interface Objection {
  /** `person`: one has sent it back. */
  readonly rule: Rule | "person";
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
  const setAside: ReadonlySet<string> = new Set(person?.overridden?.rules);
  const object = (objection: Objection): void => {
    if (!setAside.has(objection.rule)) objections.push(objection);
  };
  // Until the code is another, or someone accepts it after all.
  if (word && !word.isPassed) object({ rule: "person", message: "A person has sent it back." });
  const diff = receipts.find(({ gate }) => gate === "diff");
  if (diff === undefined) missing.push("its diff was not looked at");
  for (const one of diff?.findings ?? []) object({ rule: one.rule, message: findingText(one) });
  for (const check of required.checks) {
    // A task may have the same check; that was run where its agent works, not on a clean checkout.
    const receipt = receipts.find(
      ({ gate, command, task }) => gate === "check" && command === check && task === undefined,
    );
    if (receipt === undefined) missing.push(`its check \`${check}\` was not run`);
    else if (!receipt.isPassed) {
      object({ rule: "check", message: `The check \`${check}\` failed (${receipt.how}).` });
    }
  }
  for (const [gate, isNeeded, who] of [
    ["test", required.needsTesting, "tester"],
    ["review", required.needsReview, "reviewer"],
  ] as const) {
    const isPassed =
      person ?? receipts.find((receipt) => receipt.gate === gate && receipt.isPassed);
    if (isNeeded && !isPassed) object({ rule: gate, message: `No ${who} has passed it yet.` });
  }
  return { missing, objections };
}

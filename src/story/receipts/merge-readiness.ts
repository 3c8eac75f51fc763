// What stands between a story's code and its target: gates that nobody ran, and what they refuse. Pure:
// from the receipts for exactly this code.

import { findingText } from "./finding-text.ts";
import type { Finding, Receipt, Rule } from "./receipt.ts";

export interface Requirements {
  readonly checks: readonly string[];
  readonly needsTesting: boolean;
  readonly needsReview: boolean;
  /**
   * Where the story asks for less than when it began (`weakened.ts`), now and not when it was judged.
   * Nothing for who only shows what was said then.
   */
  readonly weakened?: readonly Finding[] | undefined;
}

/** Something that a person may set aside, by its rule. */
export interface Objection {
  /** `person`: one has sent it back. */
  readonly rule: Rule | "person";
  readonly message: string;
  /** What stays the same when the same is objected to again, on top of another commit say. */
  readonly name: string;
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
  const setAside: ReadonlySet<string> = new Set(person?.overridden?.objections);
  const object = (objection: Objection): void => {
    if (!setAside.has(objection.name)) objections.push(objection);
  };
  // Until the code is another, or someone accepts it after all.
  if (word && !word.isPassed) {
    object({ rule: "person", message: "A person has sent it back.", name: "person" });
  }
  const diff = receipts.find(({ gate }) => gate === "diff");
  if (diff === undefined) missing.push("its diff was not looked at");
  // The story's files are no part of the code that a receipt is about: of them, what is now counts.
  const { weakened } = required;
  const found = (diff?.findings ?? []).filter(({ rule }) => !weakened || rule !== "definition");
  for (const one of [...found, ...(weakened ?? [])]) object(objectionBy(one));
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
      object({ rule: gate, message: `No ${who} has passed it yet.`, name: gate });
    }
  }
  return { missing, objections };
}

const failed = (check: string, how: string): Objection => ({
  rule: "check",
  message: `The check \`${check}\` ${how}`,
  name: `check ${check}`,
});

const objectionBy = (finding: Finding): Objection => ({
  rule: finding.rule,
  message: findingText(finding),
  name: findingName(finding),
});

/**
 * Without its line, and without counts and ids of commits: they are others on top of a target that has
 * moved on, and what is meant is the same.
 */
const findingName = ({ rule, file, message }: Finding): string =>
  [rule, ...(file === undefined ? [] : [JSON.stringify(file)]), plainly(rule, message)].join(" ");

/** What a story asked for is in people's own words, numbers and all. */
const plainly = (rule: Rule, message: string): string =>
  rule === "definition" ? message : message.replaceAll(/\b[0-9a-f]{12}\b|\d+/g, "#");

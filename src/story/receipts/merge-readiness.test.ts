import { describe, expect, it } from "vitest";
import { blockerKey } from "./blocker-key.ts";
import type { Receipt } from "./receipt.ts";
import { aReceipt } from "../../../test/support/receipts.ts";
import { mergeReadiness } from "./merge-readiness.ts";

const NOTHING = { checks: [], needsTesting: false, needsReview: false, weakened: [] };
const protectedFile = { rule: "protected", message: "x is protected." } as const;
const refusing = aReceipt({ isPassed: false, findings: [protectedFile] });

describe("a story's code", () => {
  it("without receipts lacks every gate", () => {
    const { missing } = mergeReadiness([], { ...NOTHING, checks: ["npm test"] });
    expect(missing).toEqual(["its diff was not checked", "its check `npm test` was not run"]);
  });

  it("that passed its gates has no blockers", () => {
    const check = aReceipt({ gate: "check", command: "npm test" });
    const required = { ...NOTHING, checks: ["npm test"], needsTesting: true, needsReview: true };
    const inspected = [aReceipt({ gate: "test" }), aReceipt({ gate: "review" })];
    expect(mergeReadiness([aReceipt({}), check, ...inspected], required)).toEqual({
      missing: [],
      mergeBlockers: [],
    });
  });

  it("has a blocker for each failed gate and each missing inspector", () => {
    const check = aReceipt({ gate: "check", command: "npm test", isPassed: false, how: "exit 1" });
    const required = { ...NOTHING, checks: ["npm test"], needsTesting: true, needsReview: true };
    const failed = aReceipt({ gate: "review", isPassed: false });
    const { mergeBlockers } = mergeReadiness([refusing, check, failed], required);
    expect(mergeBlockers.map(({ rule }) => rule)).toEqual(["protected", "check", "test", "review"]);
  });

  it("needs more than the same check of a task, which ran elsewhere", () => {
    const check = aReceipt({ gate: "check", command: "npm test", task: "form" });
    const { missing } = mergeReadiness([aReceipt({}), check], { ...NOTHING, checks: ["npm test"] });
    expect(missing).toEqual(["its check `npm test` was not run"]);
  });

  it("passes with a person's approval, except for rules that the person did not override", () => {
    const person = aReceipt({ gate: "person" });
    const required = { ...NOTHING, needsReview: true };
    expect(mergeReadiness([aReceipt({}), person], required).mergeBlockers).toEqual([]);
    const { mergeBlockers } = mergeReadiness([refusing, person], required);
    expect(mergeBlockers).toMatchObject([protectedFile]);
    const overridden = overriding(mergeBlockers.map(blockerKey));
    expect(mergeReadiness([refusing, { ...person, overridden }], required).mergeBlockers).toEqual(
      [],
    );
    const back = aReceipt({ gate: "person", isPassed: false });
    expect(mergeReadiness([aReceipt({}), person, back], NOTHING).mergeBlockers).toMatchObject([
      { rule: "person" },
    ]);
  });

  it("has a blocker for a failed check, also when the story no longer lists it", () => {
    const check = aReceipt({ gate: "check", command: "npm test", isPassed: false, how: "exit 1" });
    const { missing, mergeBlockers } = mergeReadiness([aReceipt({}), check], NOTHING);
    expect(missing).toEqual([]);
    expect(mergeBlockers).toEqual([
      {
        rule: "check",
        message: "The check `npm test` failed (exit 1), and is no longer a check of the story.",
        key: "npm test",
      },
    ]);
    const later = aReceipt({ gate: "check", command: "npm test" });
    expect(mergeReadiness([aReceipt({}), later], NOTHING).mergeBlockers).toEqual([]);
  });

  it("is blocked by a definition that is weakened now, whatever a receipt says", () => {
    const finding = {
      rule: "definition",
      key: "check-removed x",
      message: "The check was taken away.",
    } as const;
    const receipt = aReceipt({ isPassed: false, findings: [finding] });
    expect(mergeReadiness([receipt], NOTHING).mergeBlockers).toEqual([]);
    const required = { ...NOTHING, weakened: [finding] };
    const { mergeBlockers } = mergeReadiness([aReceipt({})], required);
    expect(mergeBlockers).toMatchObject([finding]);
    const person = aReceipt({
      gate: "person",
      overridden: overriding(mergeBlockers.map(blockerKey)),
    });
    expect(mergeReadiness([aReceipt({}), person], required).mergeBlockers).toEqual([]);
    // Of code that is merged, the receipt counts.
    const shown = { ...NOTHING, weakened: "as-judged" } as const;
    expect(mergeReadiness([receipt], shown).mergeBlockers).toMatchObject([finding]);
  });
});

const overriding = (objections: string[]): Receipt["overridden"] => ({
  rules: ["protected"],
  objections,
  why: "It had to be.",
  who: "ada",
});

describe("an overridden blocker", () => {
  const person = (keys: string[]): Receipt =>
    aReceipt({ gate: "person", overridden: overriding(keys) });
  const keysOf = (...findings: Receipt["findings"]): string[] =>
    mergeReadiness([aReceipt({ isPassed: false, findings })], NOTHING).mergeBlockers.map(
      blockerKey,
    );

  it("stays overridden at another line and with another message, by its key", () => {
    const secret = { rule: "secret", file: "a.ts", key: "history AWS Access Key ID" } as const;
    const before = keysOf({ ...secret, line: 3, message: "This looks like a secret." });
    const after = [{ ...secret, line: 14, message: "§ Something else altogether." }];
    const held = [aReceipt({ isPassed: false, findings: after }), person(before)];
    expect(mergeReadiness(held, NOTHING).mergeBlockers).toEqual([]);
  });

  it("is a different one with another key, file, check or rule", () => {
    const message = "It is protected.";
    const finding = { rule: "protected", file: "a.yml", key: "modified *.yml", message } as const;
    const others = aReceipt({
      isPassed: false,
      findings: [
        finding,
        { ...finding, key: "deleted *.yml" },
        { ...finding, file: "b.yml" },
        { ...finding, rule: "undeclared" },
      ],
    });
    expect(mergeReadiness([others, person(keysOf(finding))], NOTHING).mergeBlockers).toMatchObject([
      { key: "deleted *.yml" },
      { message: '"b.yml": It is protected.' },
      { rule: "undeclared" },
    ]);
    const failed = (command: string): Receipt =>
      aReceipt({ gate: "check", command, isPassed: false, how: "exit 1" });
    const checks = ["one", "two"];
    const one = blockerKey({ rule: "check", key: "one" });
    const held = [aReceipt({}), ...checks.map(failed), person([one])];
    expect(mergeReadiness(held, { ...NOTHING, checks }).mergeBlockers).toMatchObject([
      { message: "The check `two` failed (exit 1)." },
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { objectionKey } from "./objection-key.ts";
import type { Receipt } from "./receipt.ts";
import { aReceipt } from "../../../test/support/receipts.ts";
import { standingOf } from "./merge-readiness.ts";

const NOTHING = { checks: [], needsTesting: false, needsReview: false, weakened: [] };
const protectedFile = { rule: "protected", message: "x is protected." } as const;
const refusing = aReceipt({ isPassed: false, findings: [protectedFile] });

describe("a story's code", () => {
  it("that nobody has looked at lacks everything", () => {
    const { missing } = standingOf([], { ...NOTHING, checks: ["npm test"] });
    expect(missing).toEqual(["its diff was not looked at", "its check `npm test` was not run"]);
  });

  it("that has passed what it needs has nothing against it", () => {
    const check = aReceipt({ gate: "check", command: "npm test" });
    const required = { checks: ["npm test"], needsTesting: true, needsReview: true };
    const inspected = [aReceipt({ gate: "test" }), aReceipt({ gate: "review" })];
    expect(standingOf([aReceipt({}), check, ...inspected], required)).toEqual({
      missing: [],
      objections: [],
    });
  });

  it("is objected to by what refuses it, and by who has not passed it", () => {
    const check = aReceipt({ gate: "check", command: "npm test", isPassed: false, how: "exit 1" });
    const required = { checks: ["npm test"], needsTesting: true, needsReview: true };
    const failed = aReceipt({ gate: "review", isPassed: false });
    const { objections } = standingOf([refusing, check, failed], required);
    expect(objections.map(({ rule }) => rule)).toEqual(["protected", "check", "test", "review"]);
  });

  it("is not proven by a task's check of the same words, which was run elsewhere", () => {
    const check = aReceipt({ gate: "check", command: "npm test", task: "form" });
    const { missing } = standingOf([aReceipt({}), check], { ...NOTHING, checks: ["npm test"] });
    expect(missing).toEqual(["its check `npm test` was not run"]);
  });

  it("passes on a person's word, but for rules that the person did not set aside", () => {
    const person = aReceipt({ gate: "person" });
    const required = { ...NOTHING, needsReview: true };
    expect(standingOf([aReceipt({}), person], required).objections).toEqual([]);
    const { objections } = standingOf([refusing, person], required);
    expect(objections).toMatchObject([protectedFile]);
    const overridden = aside(objections.map(objectionKey));
    expect(standingOf([refusing, { ...person, overridden }], required).objections).toEqual([]);
    const back = aReceipt({ gate: "person", isPassed: false });
    expect(standingOf([aReceipt({}), person, back], NOTHING).objections).toMatchObject([
      { rule: "person" },
    ]);
  });

  it("is objected to by a check that failed on it, also when nobody lists that check any more", () => {
    const check = aReceipt({ gate: "check", command: "npm test", isPassed: false, how: "exit 1" });
    const { missing, objections } = standingOf([aReceipt({}), check], NOTHING);
    expect(missing).toEqual([]);
    expect(objections).toEqual([
      {
        rule: "check",
        message: "The check `npm test` failed (exit 1), and is none of the story's any more.",
        key: "npm test",
      },
    ]);
    const later = aReceipt({ gate: "check", command: "npm test" });
    expect(standingOf([aReceipt({}), later], NOTHING).objections).toEqual([]);
  });

  it("is objected to by what its story asks for less now, whatever a receipt has said of that", () => {
    const said = { rule: "definition", key: "check-removed x" } as const;
    const finding = { ...said, message: "The check was taken away." };
    const receipt = aReceipt({ isPassed: false, findings: [finding] });
    expect(standingOf([receipt], NOTHING).objections).toEqual([]);
    const required = { ...NOTHING, weakened: [finding] };
    const { objections } = standingOf([aReceipt({})], required);
    expect(objections).toMatchObject([finding]);
    const person = aReceipt({
      gate: "person",
      overridden: aside(objections.map(objectionKey)),
    });
    expect(standingOf([aReceipt({}), person], required).objections).toEqual([]);
    // Who only shows it has nothing but the receipt.
    const { weakened: _, ...shown } = NOTHING;
    expect(standingOf([receipt], shown).objections).toMatchObject([finding]);
  });
});

const aside = (objections: string[]): Receipt["overridden"] => ({
  rules: ["protected"],
  objections,
  why: "It had to be.",
  who: "ada",
});

describe("an objection that was set aside", () => {
  const person = (keys: string[]): Receipt => aReceipt({ gate: "person", overridden: aside(keys) });
  const keysOf = (...findings: Receipt["findings"]): string[] =>
    standingOf([aReceipt({ isPassed: false, findings })], NOTHING).objections.map(objectionKey);

  it("is the same at another line and in other words, by its key", () => {
    const secret = { rule: "secret", file: "a.ts", key: "history AWS Access Key ID" } as const;
    const before = keysOf({ ...secret, line: 3, message: "This looks like a secret." });
    const after = [{ ...secret, line: 14, message: "§ Something else altogether." }];
    const held = [aReceipt({ isPassed: false, findings: after }), person(before)];
    expect(standingOf(held, NOTHING).objections).toEqual([]);
  });

  it("is none with another key, about another file, another check or another rule", () => {
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
    expect(standingOf([others, person(keysOf(finding))], NOTHING).objections).toMatchObject([
      { key: "deleted *.yml" },
      { message: '"b.yml": It is protected.' },
      { rule: "undeclared" },
    ]);
    const failed = (command: string): Receipt =>
      aReceipt({ gate: "check", command, isPassed: false, how: "exit 1" });
    const checks = ["one", "two"];
    const one = objectionKey({ rule: "check", key: "one" });
    const held = [aReceipt({}), ...checks.map(failed), person([one])];
    expect(standingOf(held, { ...NOTHING, checks }).objections).toMatchObject([
      { message: "The check `two` failed (exit 1)." },
    ]);
  });
});

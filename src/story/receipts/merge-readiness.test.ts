import { describe, expect, it } from "vitest";
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
    const overridden = aside(objections.map(({ name }) => name));
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
        name: "check npm test",
      },
    ]);
    const later = aReceipt({ gate: "check", command: "npm test" });
    expect(standingOf([aReceipt({}), later], NOTHING).objections).toEqual([]);
  });

  it("is objected to by what its story asks for less now, whatever a receipt has said of that", () => {
    const finding = { rule: "definition", message: "The check was taken away." } as const;
    const said = aReceipt({ isPassed: false, findings: [finding] });
    expect(standingOf([said], NOTHING).objections).toEqual([]);
    const required = { ...NOTHING, weakened: [finding] };
    const { objections } = standingOf([aReceipt({})], required);
    expect(objections).toMatchObject([finding]);
    const person = aReceipt({ gate: "person", overridden: aside([objections[0]?.name ?? ""]) });
    expect(standingOf([aReceipt({}), person], required).objections).toEqual([]);
    // Who only shows it has nothing but the receipt.
    const { weakened: _, ...shown } = NOTHING;
    expect(standingOf([said], shown).objections).toMatchObject([finding]);
  });
});

const aside = (objections: string[]): Receipt["overridden"] => ({
  rules: ["protected"],
  objections,
  why: "It had to be.",
  who: "ada",
});

describe("an objection that was set aside", () => {
  const person = (names: string[]): Receipt =>
    aReceipt({ gate: "person", overridden: aside(names) });
  const namesOf = (...findings: Receipt["findings"]): string[] =>
    standingOf([aReceipt({ isPassed: false, findings })], NOTHING).objections.map(
      ({ name }) => name,
    );

  it("is the same on top of another commit: at another line, of other commits and counts", () => {
    const before = namesOf(
      { rule: "secret", file: "a.ts", line: 3, message: "It is in the commit 0123456789ab." },
      { rule: "deletions", message: "50 % of all files are deleted, 5 of 10." },
    );
    const after = namesOf(
      { rule: "secret", file: "a.ts", line: 14, message: "It is in the commit ba9876543210." },
      { rule: "deletions", message: "45 % of all files are deleted, 5 of 11." },
    );
    expect(after).toEqual(before);
  });

  it("is none about another file, another check or another rule", () => {
    const message = "It is protected.";
    const names = namesOf({ rule: "protected", file: "a.yml", message });
    const others = aReceipt({
      isPassed: false,
      findings: [
        { rule: "protected", file: "a.yml", message },
        { rule: "protected", file: "b.yml", message },
        { rule: "undeclared", file: "a.yml", message },
      ],
    });
    expect(standingOf([others, person(names)], NOTHING).objections).toMatchObject([
      { message: '"b.yml": It is protected.' },
      { rule: "undeclared" },
    ]);
    const failed = (command: string): Receipt =>
      aReceipt({ gate: "check", command, isPassed: false, how: "exit 1" });
    const checks = ["one", "two"];
    const held = [aReceipt({}), ...checks.map(failed), person(["check one"])];
    expect(standingOf(held, { ...NOTHING, checks }).objections).toMatchObject([
      { message: "The check `two` failed (exit 1)." },
    ]);
  });
});

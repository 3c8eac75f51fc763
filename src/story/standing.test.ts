import { describe, expect, it } from "vitest";
import type { Receipt } from "./receipt.ts";
import { standingOf } from "./standing.ts";

const TREE = "a".repeat(40);
const receipt = (more: Partial<Receipt>): Receipt => ({
  at: "2026-11-15T21:48:00.000Z",
  gate: "diff",
  tree: TREE,
  isPassed: true,
  ms: 1,
  findings: [],
  ...more,
});
const NOTHING = { checks: [], needsTesting: false, needsReview: false };
const protectedFile = { rule: "protected", message: "x is protected." } as const;
const refusing = receipt({ isPassed: false, findings: [protectedFile] });

describe("a story's code", () => {
  it("that nobody has looked at lacks everything", () => {
    const { missing } = standingOf([], { ...NOTHING, checks: ["npm test"] });
    expect(missing).toEqual(["its diff was not looked at", "its check `npm test` was not run"]);
  });

  it("that has passed what it needs has nothing against it", () => {
    const check = receipt({ gate: "check", command: "npm test" });
    const required = { checks: ["npm test"], needsTesting: true, needsReview: true };
    const inspected = [receipt({ gate: "test" }), receipt({ gate: "review" })];
    expect(standingOf([receipt({}), check, ...inspected], required)).toEqual({
      missing: [],
      objections: [],
    });
  });

  it("is objected to by what refuses it, and by who has not passed it", () => {
    const check = receipt({ gate: "check", command: "npm test", isPassed: false, how: "exit 1" });
    const required = { checks: ["npm test"], needsTesting: true, needsReview: true };
    const failed = receipt({ gate: "review", isPassed: false });
    const { objections } = standingOf([refusing, check, failed], required);
    expect(objections.map(({ rule }) => rule)).toEqual(["protected", "check", "test", "review"]);
  });

  it("is not proven by a task's check of the same words, which was run elsewhere", () => {
    const check = receipt({ gate: "check", command: "npm test", task: "form" });
    const { missing } = standingOf([receipt({}), check], { ...NOTHING, checks: ["npm test"] });
    expect(missing).toEqual(["its check `npm test` was not run"]);
  });

  it("passes on a person's word, but for rules that the person did not set aside", () => {
    const person = receipt({ gate: "person" });
    const required = { ...NOTHING, needsReview: true };
    expect(standingOf([receipt({}), person], required).objections).toEqual([]);
    expect(standingOf([refusing, person], required).objections).toEqual([protectedFile]);
    const overridden = { rules: ["protected"], why: "It had to be.", who: "ada" };
    expect(standingOf([refusing, { ...person, overridden }], required).objections).toEqual([]);
    const back = receipt({ gate: "person", isPassed: false });
    expect(standingOf([receipt({}), person, back], NOTHING).objections).toMatchObject([
      { rule: "person" },
    ]);
  });
});

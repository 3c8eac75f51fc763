import { describe, expect, it } from "vitest";
import { overrideBy } from "./override.ts";
import type { Receipt } from "./receipt.ts";
import type { Objection } from "./standing.ts";

const PROTECTED: Objection = { rule: "protected", message: "x is protected." };
const CHECK: Objection = { rule: "check", message: "The check `npm test` failed (exit 1)." };

const word = (more: Partial<Receipt>): Receipt => ({
  at: "2026-11-15T21:48:00.000Z",
  gate: "person",
  tree: "a".repeat(40),
  isPassed: true,
  ms: 0,
  findings: [],
  ...more,
});
const BEFORE = { rules: ["protected"], why: "It had to be.", who: "ada" };
const NOTHING = { rules: [], why: undefined, who: "ben" };

describe("a rule that is set aside", () => {
  it("is recorded once, with who and why; others stay in the way", () => {
    const wish = { rules: ["protected" as const], why: "So be it.", who: "ben" };
    expect(overrideBy([PROTECTED, PROTECTED, CHECK], wish, undefined)).toEqual({
      open: [CHECK],
      setAside: [PROTECTED, PROTECTED],
      unused: [],
      isReasonMissing: false,
      overridden: { rules: ["protected"], why: "So be it.", who: "ben" },
    });
  });

  it("needs a reason, unless there is nothing to set aside, which is said", () => {
    const wish = { rules: ["protected" as const], why: " ", who: "ben" };
    expect(overrideBy([PROTECTED], wish, undefined).isReasonMissing).toBe(true);
    expect(overrideBy([], wish, undefined)).toMatchObject({
      isReasonMissing: false,
      unused: ["protected"],
      overridden: undefined,
    });
  });

  it("stays so when the same code is accepted again", () => {
    const earlier = word({ overridden: BEFORE });
    expect(overrideBy([PROTECTED], NOTHING, earlier)).toMatchObject({
      open: [],
      setAside: [PROTECTED],
      isReasonMissing: false,
      overridden: BEFORE,
    });
    const more = { rules: ["check" as const], why: "It is flaky.", who: "ben" };
    expect(overrideBy([PROTECTED, CHECK], more, earlier).overridden).toEqual({
      rules: ["protected", "check"],
      why: "It had to be. It is flaky.",
      who: "ada, ben",
    });
  });

  it("is not any more when the code was sent back", () => {
    const back = word({ isPassed: false });
    expect(overrideBy([PROTECTED], NOTHING, back).open).toEqual([PROTECTED]);
  });
});

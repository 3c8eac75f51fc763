import { describe, expect, it } from "vitest";
import { acceptCommand, overrideBy } from "./override.ts";
import { blockerKey } from "./blocker-key.ts";
import type { Receipt } from "./receipt.ts";
import type { MergeBlocker } from "./merge-readiness.ts";

const PROTECTED: MergeBlocker = {
  rule: "protected",
  message: "x is protected.",
  file: "x",
  key: "modified *",
};
const CHECK: MergeBlocker = {
  rule: "check",
  message: "The check `npm test` failed (exit 1).",
  key: "npm test",
};

const word = (more: Partial<Receipt>): Receipt => ({
  at: "2026-11-15T21:48:00.000Z",
  gate: "person",
  tree: "a".repeat(40),
  isPassed: true,
  ms: 0,
  findings: [],
  ...more,
});
const BEFORE = {
  rules: ["protected"],
  objections: [blockerKey(PROTECTED)],
  why: "It had to be.",
  who: "ada",
};
const NOTHING = { rules: [], why: undefined, who: "ben" };

describe("an overridden rule", () => {
  it("is recorded once, with who and why; other blockers stay open", () => {
    const wish = { rules: ["protected" as const], why: "So be it.", who: "ben" };
    expect(overrideBy([PROTECTED, PROTECTED, CHECK], wish, undefined)).toEqual({
      open: [CHECK],
      setAside: [PROTECTED, PROTECTED],
      unused: [],
      isReasonMissing: false,
      overridden: { ...BEFORE, why: "So be it.", who: "ben" },
    });
  });

  it("needs a reason, unless it has no blocker, which is reported", () => {
    const wish = { rules: ["protected" as const], why: " ", who: "ben" };
    expect(overrideBy([PROTECTED], wish, undefined).isReasonMissing).toBe(true);
    expect(overrideBy([], wish, undefined)).toMatchObject({
      isReasonMissing: false,
      unused: ["protected"],
      overridden: undefined,
    });
  });

  it("stays overridden when the same code is accepted again", () => {
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
      objections: [blockerKey(PROTECTED), blockerKey(CHECK)],
      why: "It had to be. It is flaky.",
      who: "ada, ben",
    });
  });

  it("does not cover later blockers of the same rule", () => {
    const other = { ...PROTECTED, file: "y" };
    const again = overrideBy([PROTECTED, other], NOTHING, word({ overridden: BEFORE }));
    expect(again).toMatchObject({ open: [other], setAside: [PROTECTED] });
    // A receipt of a version that did not list them.
    const { objections: _, ...rules } = BEFORE;
    const vague = overrideBy([PROTECTED], NOTHING, word({ overridden: rules }));
    expect(vague.open).toEqual([PROTECTED]);
  });

  it("is no longer overridden after the code was sent back", () => {
    const back = word({ isPassed: false });
    expect(overrideBy([PROTECTED], NOTHING, back).open).toEqual([PROTECTED]);
  });
});

describe("the command that overrides all blockers", () => {
  it("names each rule once, and none that an approval replaces", () => {
    const looked: MergeBlocker = { rule: "review", message: "No reviewer.", key: "" };
    expect(acceptCommand("one", [PROTECTED, PROTECTED, looked, CHECK])).toBe(
      'saga accept one --override protected --override check --why "…"',
    );
    expect(acceptCommand("one", [looked])).toBe("saga accept one");
  });
});

import { describe, expect, it } from "vitest";
import { aReceipt } from "../../../test/support/receipts.ts";
import { blockerKey } from "../../story/receipts/blocker-key.ts";
import { gateLine, notPassedLines } from "./gate-line.ts";

const NEEDS = { checks: ["npm test"], needsTesting: false, needsReview: false, weakened: [] };

const DIFF = aReceipt({});
const REFUSED = aReceipt({
  isPassed: false,
  findings: [{ rule: "protected", file: "ci.yml", message: "It is protected." }],
});
const CHECK = aReceipt({ gate: "check", command: "npm test", how: "exit 0" });
const FAILED = aReceipt({ gate: "check", command: "npm test", how: "exit 1", isPassed: false });
const SENT_BACK = aReceipt({ gate: "person", how: "sent back by ada", isPassed: false });
const ACCEPTED = aReceipt({ gate: "person", how: "accepted by ada" });
const SET_ASIDE = aReceipt({
  gate: "person",
  how: "accepted by ada",
  overridden: {
    rules: ["check"],
    objections: [blockerKey({ rule: "check", key: "npm test" })],
    why: "It comes later.",
    who: "ada",
  },
});

describe("a story's gate, in one line", () => {
  it("is undefined before the first check", () => {
    expect(gateLine([], NEEDS)).toBeUndefined();
    expect(gateLine([aReceipt({ gate: "check", task: "form" })], NEEDS)).toBeUndefined();
  });

  it("is passed, with the number of receipts", () => {
    expect(gateLine([DIFF, CHECK], NEEDS)).toBe("passed (2 results for tree aaaaaaaaaaaa)");
    expect(gateLine([DIFF, CHECK, ACCEPTED], NEEDS)).toContain("; accepted by ada");
  });

  it("says each reason once, however often it was checked or sent back", () => {
    expect(gateLine([DIFF, FAILED, DIFF, FAILED], NEEDS)).toBe(
      "NOT passed: The check `npm test` failed (exit 1).",
    );
    expect(gateLine([DIFF, CHECK, SENT_BACK, SENT_BACK], NEEDS)).toBe(
      "NOT passed: A person sent it back.",
    );
    expect(gateLine([REFUSED, REFUSED, CHECK], NEEDS)).toBe(
      'NOT passed: "ci.yml": It is protected.',
    );
  });

  it("says what was not run", () => {
    expect(gateLine([DIFF], NEEDS)).toBe("NOT passed: its check `npm test` was not run");
  });

  it("is passed when a person has overridden a failure, and says who did and why", () => {
    expect(gateLine([DIFF, FAILED, SET_ASIDE], NEEDS)).toBe(
      "passed (3 results for tree aaaaaaaaaaaa); ada overrode check: It comes later.",
    );
  });

  it("says three reasons at most", () => {
    const findings = ["a", "b", "c", "d", "e"].map((file) => ({
      rule: "protected" as const,
      file,
      message: "No.",
    }));
    expect(gateLine([aReceipt({ isPassed: false, findings }), CHECK], NEEDS)).toBe(
      'NOT passed: "a": No. "b": No. "c": No. (and 2 more)',
    );
  });
});

it("every reason why a gate did not pass is named", () => {
  expect(notPassedLines(["a is protected."])).toEqual(["Not passed: a is protected."]);
  expect(notPassedLines(["a is protected.", "b is too large."])).toEqual([
    "Not passed:",
    "  a is protected.",
    "  b is too large.",
  ]);
});

import { describe, expect, it } from "vitest";
import { aReceipt } from "../../test/support/receipts.ts";
import { attempt, verificationOf } from "./merge-steps.ts";

const passed = aReceipt({});
const failed = aReceipt({ gate: "check", command: "npm test", isPassed: false, how: "exit 1" });
const leak = aReceipt({
  isPassed: false,
  findings: [{ rule: "secret", key: "added AWS key", message: "This looks like a secret." }],
});

describe("the verdict on a merge result", () => {
  it("passes when the diff and every check passed on it", () => {
    const check = aReceipt({ gate: "check", command: "npm test" });
    const verdict = verificationOf([passed, check], undefined, {
      checks: ["npm test"],
      weakened: [],
    });
    expect(verdict).toEqual({ isPassed: true });
  });

  it("names every reason, findings before what did not run", () => {
    const verdict = verificationOf([leak, failed], undefined, {
      checks: ["npm test", "lint"],
      weakened: [],
    });
    expect(verdict).toMatchObject({ isPassed: false, receipts: [leak, failed] });
    expect("reason" in verdict && verdict.reason).toBe(
      "This looks like a secret. The check `npm test` failed (exit 1). its check `lint` was not run",
    );
  });

  it("lets pass what a person has overridden, and nothing else", () => {
    const overridden = {
      rules: ["secret" as const],
      objections: ["secret added AWS key"],
      why: "A dummy.",
      who: "Ann",
    };
    const word = aReceipt({ gate: "person", overridden });
    expect(verificationOf([leak], word, { checks: [], weakened: [] }).isPassed).toBe(true);
    expect(
      verificationOf([leak, failed], word, { checks: ["npm test"], weakened: [] }).isPassed,
    ).toBe(false);
  });
});

it("a failure after a merge is only a warning", async () => {
  const warnings: string[] = [];
  await attempt(warnings, () => Promise.reject(new Error("GitHub is down.")));
  await attempt(warnings, async () => "fine");
  expect(warnings).toEqual(["GitHub is down."]);
});

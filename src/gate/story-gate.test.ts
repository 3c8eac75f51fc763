import { expect, it } from "vitest";
import { aReceipt } from "../../test/support/receipts.ts";
import { whyNotPassed } from "./story-gate.ts";

const finding = {
  rule: "secret",
  file: "a.ts",
  key: "added AWS key",
  message: "Looks like a secret.",
} as const;

it("a gate that passed has no reason", () => {
  expect(
    whyNotPassed([aReceipt({}), aReceipt({ gate: "check", command: "npm test" })]),
  ).toBeUndefined();
});

it("the first failure is the reason", () => {
  const check = aReceipt({ gate: "check", command: "npm test", isPassed: false, how: "exit 1" });
  const later = aReceipt({ gate: "review", isPassed: false, how: "no" });
  expect(whyNotPassed([aReceipt({}), check, later])).toBe("The check `npm test` failed (exit 1).");
});

it("of several findings the first is told, with how many more there are", () => {
  const one = aReceipt({ isPassed: false, findings: [finding] });
  const three = aReceipt({ isPassed: false, findings: [finding, finding, finding] });
  expect(whyNotPassed([one])).not.toContain("more");
  expect(whyNotPassed([three])).toMatch(/Looks like a secret\. \(and 2 more\)$/);
});

it("a gate without findings says how it ended", () => {
  expect(
    whyNotPassed([aReceipt({ gate: "test", isPassed: false, how: "no verdict in time" })]),
  ).toBe("No approval from the tester: no verdict in time.");
});

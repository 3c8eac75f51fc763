import { expect, it } from "vitest";
import { aReceipt } from "../../../test/support/receipts.ts";
import { overriddenIn } from "./land-epic.ts";

const accepted = (...objections: string[]) =>
  aReceipt({ gate: "person", overridden: { rules: [], objections, why: "Fine.", who: "ada" } });
const sentBack = aReceipt({ gate: "person", isPassed: false });

it("what a person overrode for a story stays overridden for its epic", () => {
  expect(overriddenIn([aReceipt(), accepted("secret a"), aReceipt()])).toEqual(["secret a"]);
});

it("only their last decision counts", () => {
  expect(overriddenIn([accepted("secret a"), accepted("secret b")])).toEqual(["secret b"]);
  expect(overriddenIn([accepted("secret a"), sentBack])).toEqual([]);
  expect(overriddenIn([sentBack, accepted("secret a")])).toEqual(["secret a"]);
});

it("nothing is overridden without a decision, or by a plain approval", () => {
  expect(overriddenIn([aReceipt()])).toEqual([]);
  expect(overriddenIn([aReceipt({ gate: "person" })])).toEqual([]);
});

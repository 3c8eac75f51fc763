import { expect, it } from "vitest";
import { aReceipt } from "../../../test/support/receipts.ts";
import { isSealed, sealOf } from "./receipt-seal.ts";

const KEY = Buffer.alloc(32, 1);
const place = { storyId: "one", runId: "r1" };
const receipt = aReceipt();
const seal = sealOf(KEY, receipt, place);

it("a receipt has a seal whatever the order of its fields", () => {
  const turned = Object.fromEntries(Object.entries(receipt).toReversed()) as typeof receipt;
  expect(isSealed(KEY, turned, { ...place, seal })).toBe(true);
});

it.each([
  ["a changed receipt", KEY, { ...receipt, isPassed: false }, place],
  [
    "one more finding",
    KEY,
    { ...receipt, findings: [{ rule: "size", message: "" } as const] },
    place,
  ],
  ["a copy in another story", KEY, receipt, { ...place, storyId: "two" }],
  ["a copy in another run", KEY, receipt, { ...place, runId: "r2" }],
  ["another machine's key", Buffer.alloc(32, 2), receipt, place],
])("the seal does not fit %s", (_, key, given, at) => {
  expect(isSealed(key, given, { ...at, seal })).toBe(false);
});

it.each([[undefined], [null], [""], [seal.slice(1)], [`${seal}0`], [7], [[seal, seal]]])(
  "%j is no seal",
  (given) => {
    expect(isSealed(KEY, receipt, { ...place, seal: given })).toBe(false);
  },
);

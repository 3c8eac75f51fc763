import { expect, it } from "vitest";
import { aReceipt } from "../../../../../test/support/receipts.ts";
import type { Receipt } from "../../../../story/receipts/receipt.ts";
import { groupReceipts } from "./receipt-groups.ts";

const [NOW, BEFORE] = ["a".repeat(40), "b".repeat(40)];
const receipt = (minute: number, more: Partial<Receipt> = {}): Receipt =>
  aReceipt({ at: `2026-11-16T15:0${minute}:00.000Z`, tree: NOW, ms: 10, ...more });

it("keeps only the last run of a gate on the same code as current", () => {
  const [first, second] = [receipt(1), receipt(2)];
  expect(groupReceipts([first, second], NOW)).toEqual({ current: [second], older: [first] });
});

it("separates commands and tasks, newest first", () => {
  const all = [
    receipt(1),
    receipt(2, { gate: "check", command: "npm test" }),
    receipt(3, { gate: "check", command: "npm test", task: "form" }),
  ];
  expect(groupReceipts(all, NOW)).toEqual({ current: all.toReversed(), older: [] });
});

it("does not count receipts for other code", () => {
  const before = receipt(1, { tree: BEFORE });
  expect(groupReceipts([before], NOW)).toEqual({ current: [], older: [before] });
  expect(groupReceipts([before])).toEqual({ current: [before], older: [] });
});

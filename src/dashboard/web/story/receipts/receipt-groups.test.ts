import { expect, it } from "vitest";
import { aReceipt } from "../../../../../test/support/receipts.ts";
import type { Receipt } from "../../../../story/receipts/receipt.ts";
import { groupReceipts } from "./receipt-groups.ts";

const [NOW, BEFORE] = ["a".repeat(40), "b".repeat(40)];
const receipt = (minute: number, more: Partial<Receipt> = {}): Receipt =>
  aReceipt({ at: `2026-11-16T15:0${minute}:00.000Z`, tree: NOW, ms: 10, ...more });

it("shows a gate that ran twice on the same code once; the first time is history", () => {
  const [first, second] = [receipt(1), receipt(2)];
  expect(groupReceipts([first, second], NOW)).toEqual({ counting: [second], older: [first] });
});

it("keeps commands and tasks apart, newest first", () => {
  const all = [
    receipt(1),
    receipt(2, { gate: "check", command: "npm test" }),
    receipt(3, { gate: "check", command: "npm test", task: "form" }),
  ];
  expect(groupReceipts(all, NOW)).toEqual({ counting: all.toReversed(), older: [] });
});

it("counts nothing that was said about other code", () => {
  const before = receipt(1, { tree: BEFORE });
  expect(groupReceipts([before], NOW)).toEqual({ counting: [], older: [before] });
  expect(groupReceipts([before])).toEqual({ counting: [before], older: [] });
});

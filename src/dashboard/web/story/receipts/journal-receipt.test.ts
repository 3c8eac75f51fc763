import { expect, it } from "vitest";
import type { Receipt } from "../../../../story/receipts/receipt.ts";
import { receiptEntry } from "../../../../story/receipts/receipt-text.ts";
import { readEntry } from "./journal-receipt.ts";

const receipt = (isPassed: boolean): Receipt => ({
  at: "2026-11-16T10:00:00.000Z",
  gate: "diff",
  tree: "a".repeat(40),
  isPassed,
  ms: 100,
  findings: [],
});

it("finds in the receipts whether all gates passed, and separates their data", () => {
  const read = (...passed: boolean[]) =>
    readEntry({ kind: "receipt", ...receiptEntry(passed.map(receipt)) });
  expect(read(true, true)).toMatchObject({ isPassed: true });
  const { text, data, isPassed } = read(true, false);
  expect(isPassed).toBe(false);
  expect(text).toBe(
    "- The diff: passed (0.1 s, tree aaaaaaaaaaaa)\n- The diff: NOT passed (0.1 s, tree aaaaaaaaaaaa)",
  );
  expect(data?.split("\n")).toHaveLength(2);
});

it("treats an unreadable receipt as not passed", () => {
  const body = "Looks good.\n\n```json\n{ torn\n```";
  expect(readEntry({ kind: "receipt", body })).toMatchObject({ isPassed: false });
  expect(readEntry({ kind: "receipt", body: "All fine." })).toEqual({ text: "All fine." });
  expect(readEntry({ kind: "decision", body })).toEqual({ text: body });
});

import { describe, expect, it } from "vitest";
import { appendEntry, parseJournal } from "../definition/journal.ts";
import { receiptSchema, type Receipt } from "./receipt.ts";
import { receiptEntry, receiptLine } from "./receipt-text.ts";
import { receiptsFor } from "./latest-receipts.ts";

const TREE = "a".repeat(40);
const receipt = (more: Partial<Receipt> = {}): Receipt => ({
  at: "2026-11-15T21:48:00.000Z",
  gate: "check",
  tree: TREE,
  isPassed: true,
  ms: 1234,
  command: "npm test",
  how: "exit 0",
  exitCode: 0,
  outputHash: "f".repeat(64),
  tail: "all is well",
  findings: [],
  ...more,
});
const diff = (more: Partial<Receipt> = {}): Receipt => ({
  at: "2026-11-15T21:48:00.000Z",
  gate: "diff",
  tree: TREE,
  isPassed: false,
  ms: 5,
  findings: [{ rule: "protected", file: "x", message: "x is\nprotected." }],
  ...more,
});

const journalOf = (receipts: readonly Receipt[]): string =>
  appendEntry("", "Login", {
    kind: "receipt",
    at: "2026-11-15T21:48:00.000Z",
    blocker: undefined,
    ...receiptEntry(receipts),
  });

it("receipts are in the journal as data, without the output of commands", () => {
  const text = journalOf([receipt(), diff()]);
  expect(text).toContain("Receipt: Gate not passed: 1 of 2 checks failed");
  expect(text).not.toContain("all is well");
  const { tail: _tail, ...plain } = receipt();
  const [entry] = parseJournal(text).entries;
  const data = entry?.body.split("\n").filter((line) => line.startsWith("{")) ?? [];
  const read = data.map((line) => receiptSchema.parse(JSON.parse(line)));
  expect(read).toEqual([plain, diff()]);
});

describe("a receipt in one line", () => {
  it("names the gate, the code and the result", () => {
    expect(receiptLine(receipt({ task: "form" }))).toBe(
      "- `npm test` (task form): passed (exit 0, 1.2 s, tree aaaaaaaaaaaa, output ffffffffffff)",
    );
    expect(receiptLine(diff())).toContain("- The diff: NOT passed");
  });

  it("names who overrode a rule, and why", () => {
    const overridden = { rules: ["protected"], why: "It had\nto be.", who: "ada" };
    const line = receiptLine(receipt({ gate: "person", command: undefined, overridden }));
    expect(line).toContain("overridden");
    expect(line).toContain("ada overrode protected: It had to be.");
  });
});

it("the newest receipt of each gate for a tree counts", () => {
  const old = receipt({ isPassed: false });
  const other = receipt({ tree: "b".repeat(40) });
  expect(receiptsFor([old, other, receipt(), diff()], TREE)).toEqual([receipt(), diff()]);
});

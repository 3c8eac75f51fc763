import type { Receipt } from "../../src/story/receipts/receipt.ts";

const TREE = "a".repeat(40);

/** Of the diff gate, and passed, where nothing else is said. */
export const aReceipt = (more: Partial<Receipt> = {}): Receipt => ({
  at: "2026-11-15T21:48:00.000Z",
  gate: "diff",
  tree: TREE,
  isPassed: true,
  ms: 1,
  findings: [],
  ...more,
});

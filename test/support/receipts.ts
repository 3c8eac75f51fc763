import type { Receipt } from "../../src/story/receipts/receipt.ts";

const TREE = "a".repeat(40);

/** By default a passed receipt of the diff rules. */
export const aReceipt = (more: Partial<Receipt> = {}): Receipt => ({
  at: "2026-11-15T21:48:00.000Z",
  gate: "diff",
  tree: TREE,
  isPassed: true,
  ms: 1,
  findings: [],
  ...more,
});

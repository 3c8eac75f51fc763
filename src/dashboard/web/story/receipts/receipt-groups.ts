// Separates receipts for the current code from older ones. Pure.

import type { Receipt } from "../../../../story/receipts/receipt.ts";
import { receiptsFor } from "../../../../story/receipts/latest-receipts.ts";

export interface ReceiptGroups {
  /** The newest of each gate and command, for the current code. */
  readonly current: readonly Receipt[];
  readonly older: readonly Receipt[];
}

/** Both newest first. Without a tree from git, the tree of the last receipt counts as current. */
export function groupReceipts(
  receipts: readonly Receipt[],
  tree = receipts.at(-1)?.tree ?? "",
): ReceiptGroups {
  const newest = new Set(receiptsFor(receipts, tree));
  const all = receipts.toReversed();
  return {
    current: all.filter((receipt) => newest.has(receipt)),
    older: all.filter((receipt) => !newest.has(receipt)),
  };
}

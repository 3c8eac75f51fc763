// Which receipts say something about the code as it is, and which are history. Pure.

import type { Receipt } from "../../../../story/receipts/receipt.ts";
import { receiptsFor } from "../../../../story/receipts/latest-receipts.ts";

export interface ReceiptGroups {
  /** The newest of each gate and command, for the code as it is. */
  readonly counting: readonly Receipt[];
  readonly older: readonly Receipt[];
}

/** Both with the newest first. Where git does not know the code, it is what was judged last. */
export function groupReceipts(
  receipts: readonly Receipt[],
  tree = receipts.at(-1)?.tree ?? "",
): ReceiptGroups {
  const newest = new Set(receiptsFor(receipts, tree));
  const all = receipts.toReversed();
  return {
    counting: all.filter((receipt) => newest.has(receipt)),
    older: all.filter((receipt) => !newest.has(receipt)),
  };
}

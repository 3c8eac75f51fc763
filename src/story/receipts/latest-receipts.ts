// Not in receipt.ts, because the page uses it without loading zod.

import type { Receipt } from "./receipt.ts";

/** The receipts that count for a tree: the newest of each gate, task and command. */
export function receiptsFor(receipts: readonly Receipt[], tree: string): Receipt[] {
  const newest = new Map<string, Receipt>();
  for (const receipt of receipts) {
    if (receipt.tree !== tree) continue;
    newest.set(`${receipt.gate}\n${receipt.task ?? ""}\n${receipt.command ?? ""}`, receipt);
  }
  return [...newest.values()];
}

/** The newest receipt of each check of each task, whatever code it was for. */
export const latestOfTasks = (receipts: readonly Receipt[]): Receipt[] => [
  ...new Map(
    receipts.flatMap((one) =>
      one.task === undefined ? [] : [[`${one.task}\n${one.command}`, one] as const],
    ),
  ).values(),
];

// The receipts in the records of a story's runs. Nobody but workers and people's commands write there.

import { receiptSchema, type Receipt } from "../story/receipt.ts";
import type { Store } from "./store.ts";

/** Older ones are about code that has long changed. */
const MAX_RUNS = 5;

/** Oldest first. */
export async function readReceipts(store: Store, storyId: string): Promise<Receipt[]> {
  const runs = (await store.listRuns(storyId)).slice(0, MAX_RUNS).toReversed();
  const receipts: Receipt[] = [];
  for (const { id } of runs) {
    const { events } = await store.readEvents(storyId, id);
    for (const event of events) {
      const receipt = event.type === "gate" ? receiptSchema.safeParse(event).data : undefined;
      if (receipt) receipts.push(receipt);
    }
  }
  return receipts;
}

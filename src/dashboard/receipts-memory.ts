// The receipts of stories, from the logs of their runs. A log may be long, and a page asks again with every change:
// each is read on from where it was, a piece at a time, so that nobody else waits.

import { join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import { layoutOf } from "../store/layout.ts";
import { findReceiptKey } from "../store/receipt-key.ts";
import { isWorthReading, sealedReceipt } from "../store/receipts.ts";
import { runFolder } from "../store/runs.ts";
import type { Receipt } from "../story/receipt.ts";
import { isAhead } from "../story/run-id.ts";
import type { Run } from "../story/run.ts";
import type { Environment } from "../machine/environment.ts";
import { readLines } from "./log-lines.ts";

export interface ReceiptsMemory {
  /** Oldest first, of the newest runs. */
  readonly read: (runs: readonly Run[]) => Promise<Receipt[]>;
}

interface Read {
  readonly offset: number;
  readonly receipts: readonly Receipt[];
}

export function newReceiptsMemory(
  project: string,
  { env, now }: { readonly env: Environment; readonly now: () => number },
): ReceiptsMemory {
  const at = layoutOf(project);
  const known = new Map<string, Read>();
  const readOn = async ({ story, id }: Run): Promise<readonly Receipt[]> => {
    const file = join(runFolder(at, story, id), "events.jsonl");
    const before = known.get(id);
    const receipts = [...(before?.receipts ?? [])];
    let offset = before?.offset ?? 0;
    const { key } = findReceiptKey(env);
    for (let lines = readLines(file, offset); lines.next > offset;) {
      offset = lines.next;
      for (const event of lines.events) {
        const receipt = sealedReceipt(event, { storyId: story, runId: id }, key);
        if (receipt) receipts.push(receipt);
      }
      await others();
      lines = readLines(file, offset);
    }
    known.set(id, { offset, receipts });
    return receipts;
  };
  return {
    async read(runs) {
      const all: Receipt[] = [];
      const past = runs.filter(({ id }) => !isAhead(id, now()));
      let counted = 0;
      for (const [at, run] of past.entries()) {
        if (!isWorthReading(run, at, counted)) continue;
        const found = await readOn(run);
        if (found.length > 0) counted++;
        all.unshift(...found);
      }
      return all;
    },
  };
}

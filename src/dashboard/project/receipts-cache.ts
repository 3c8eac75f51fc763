// The receipts of stories, from the logs of their runs. A log may be long, and a page asks again with every change:
// each is read on from where it was, a piece at a time, so that nobody else waits.

import { join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import { layoutOf } from "../../store/project/layout.ts";
import { findReceiptKey } from "../../store/runs/receipt-key.ts";
import { isWorthReading, sealedReceipt } from "../../store/runs/receipts.ts";
import { runFolder } from "../../store/runs/runs.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { isFromFuture } from "../../story/state/run-id.ts";
import type { Run } from "../../story/state/run.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { readLines } from "../server/log-lines.ts";

export interface ReceiptsMemory {
  /** Of the newest runs. */
  readonly read: (runs: readonly Run[]) => Promise<KnownReceipts>;
}

export interface KnownReceipts {
  /** Oldest first. */
  readonly receipts: readonly Receipt[];
  /** How many records of gates do not carry the seal of this machine's key, and do not count. */
  readonly unverified: number;
}

interface Read extends KnownReceipts {
  readonly offset: number;
  readonly key: Buffer | undefined;
}

export function newReceiptsMemory(
  project: string,
  { env, now }: { readonly env: Environment; readonly now: () => number },
): ReceiptsMemory {
  const at = layoutOf(project);
  const known = new Map<string, Read>();
  const readOn = async ({ story, id }: Run): Promise<KnownReceipts> => {
    const file = join(runFolder(at, story, id), "events.jsonl");
    const { key } = findReceiptKey(env);
    const kept = known.get(id);
    // What was judged without the key, which someone has brought back, is judged again.
    const before = kept?.key === key ? kept : undefined;
    const receipts = [...(before?.receipts ?? [])];
    let { offset, unverified } = before ?? { offset: 0, unverified: 0 };
    for (let lines = readLines(file, offset); lines.next > offset;) {
      offset = lines.next;
      for (const event of lines.events) {
        const receipt = sealedReceipt(event, { storyId: story, runId: id }, key);
        if (receipt) receipts.push(receipt);
        else if (event.type === "gate") unverified++;
      }
      await others();
      lines = readLines(file, offset);
    }
    const read = { key, offset, receipts, unverified };
    known.set(id, read);
    return read;
  };
  return {
    async read(runs) {
      const receipts: Receipt[] = [];
      let unverified = 0;
      const past = runs.filter(({ id }) => !isFromFuture(id, now()));
      let counted = 0;
      for (const [at, run] of past.entries()) {
        if (!isWorthReading(run, at, counted)) continue;
        const found = await readOn(run);
        if (found.receipts.length > 0) counted++;
        receipts.unshift(...found.receipts);
        unverified += found.unverified;
      }
      return { receipts, unverified };
    },
  };
}

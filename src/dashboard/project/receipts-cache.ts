// Receipts of stories, from the logs of their runs. A log may be long, and pages ask again with every change: each
// log is read from where the last read ended, in pieces, so that other requests do not wait.

import { join } from "node:path";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import { layoutOf } from "../../store/project/layout.ts";
import { findReceiptKey } from "../../store/runs/receipt-key.ts";
import { shouldReadRun, sealedReceipt } from "../../store/runs/receipts.ts";
import { runFolder } from "../../store/runs/runs.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { isFromFuture } from "../../story/state/run-id.ts";
import type { Run } from "../../story/state/run.ts";
import { readLines } from "../server/log-lines.ts";
import type { Context } from "../../context.ts";

export interface ReceiptsCache {
  /** Receipts of the newest runs. */
  readonly read: (runs: readonly Run[]) => Promise<CachedReceipts>;
}

export interface CachedReceipts {
  /** Oldest first. */
  readonly receipts: readonly Receipt[];
  /** Number of gate records without a seal of this machine's key. They do not count. */
  readonly unverified: number;
}

interface LogReceipts extends CachedReceipts {
  readonly offset: number;
  readonly key: Buffer | undefined;
}

export function newReceiptsCache(
  project: string,
  { env, now }: Pick<Context, "env" | "now">,
): ReceiptsCache {
  const at = layoutOf(project);
  const logs = new Map<string, LogReceipts>();
  const readRun = async ({ story, id }: Run): Promise<CachedReceipts> => {
    const file = join(runFolder(at, story, id), "events.jsonl");
    const { key } = findReceiptKey(env);
    const cached = logs.get(id);
    // Start over if the key has changed, for example when a lost key was restored.
    const before = cached?.key === key ? cached : undefined;
    const receipts = [...(before?.receipts ?? [])];
    let { offset, unverified } = before ?? { offset: 0, unverified: 0 };
    for (let lines = readLines(file, offset); lines.next > offset;) {
      offset = lines.next;
      for (const event of lines.events) {
        const receipt = sealedReceipt(event, { storyId: story, runId: id }, key);
        if (receipt) receipts.push(receipt);
        else if (event.type === "gate") unverified++;
      }
      await yieldToOthers();
      lines = readLines(file, offset);
    }
    const log = { key, offset, receipts, unverified };
    logs.set(id, log);
    return log;
  };
  return {
    async read(runs) {
      const receipts: Receipt[] = [];
      let unverified = 0;
      const past = runs.filter(({ id }) => !isFromFuture(id, now()));
      let counted = 0;
      for (const [at, run] of past.entries()) {
        if (!shouldReadRun(run, at, counted)) continue;
        const found = await readRun(run);
        if (found.receipts.length > 0) counted++;
        receipts.unshift(...found.receipts);
        unverified += found.unverified;
      }
      return { receipts, unverified };
    },
  };
}

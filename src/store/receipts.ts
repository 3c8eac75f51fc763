// The receipts in the records of a story's runs. What an agent wrote is run as a check, by the same user,
// and could write there too: a receipt counts when it carries Saga's seal.

import type { Environment } from "../machine/environment.ts";
import { receiptSchema, type Receipt } from "../story/receipt.ts";
import { isAhead, type RunEvent } from "../story/run.ts";
import { findReceiptKey, makeReceiptKey } from "./receipt-key.ts";
import { isSealed, sealOf } from "./receipt-seal.ts";
import type { RunLog } from "./runs.ts";
import type { Store } from "./store.ts";

/** Older ones are about code that has long changed. */
const MAX_RUNS = 5;

export interface Reading {
  readonly store: Store;
  readonly env: Environment;
  readonly now: () => number;
}

export interface FoundReceipts {
  /** Oldest first. */
  readonly receipts: readonly Receipt[];
  /** What was there and does not count, in sentences. */
  readonly warnings: readonly string[];
}

export async function readReceipts(
  { store, env, now }: Reading,
  storyId: string,
): Promise<FoundReceipts> {
  const all = await store.listRuns(storyId);
  const runs = all.filter(({ id }) => !isAhead(id, now()));
  const { key, fault } = findReceiptKey(env);
  const receipts: Receipt[] = [];
  const warnings: string[] = [];
  for (const { id: runId } of runs.slice(0, MAX_RUNS).toReversed()) {
    let foreign = 0;
    for (const event of await gatesOf(store, storyId, runId)) {
      const receipt = receiptSchema.safeParse(event).data;
      const place = { storyId, runId, seal: event["seal"] };
      if (receipt && key && isSealed(key, receipt, place)) receipts.push(receipt);
      else foreign++;
    }
    if (foreign > 0) warnings.push(notOurs(foreign, runId));
  }
  for (const { id } of all.filter((run) => !runs.includes(run))) {
    warnings.push(`The run ${id} lies in the future, and does not count.`);
  }
  return { receipts, warnings: fault && warnings.length > 0 ? [fault, ...warnings] : warnings };
}

const notOurs = (count: number, runId: string): string =>
  count === 1
    ? `1 record of a gate in ${runId} was not written by Saga on this machine and does not count.`
    : `${count} records of gates in ${runId} were not written by Saga on this machine and do not count.`;

async function gatesOf(store: Store, storyId: string, runId: string): Promise<RunEvent[]> {
  const { events } = await store.readEvents(storyId, runId);
  return events.filter(({ type }) => type === "gate");
}

/** Every receipt that is written to the log gets its seal; without a key it is written all the same. */
export function withSeals(log: RunLog, env: Environment): RunLog {
  const { key } = makeReceiptKey(env);
  if (!key) return log;
  return {
    ...log,
    get run() {
      return log.run;
    },
    append(event, options) {
      const receipt = event.type === "gate" ? receiptSchema.safeParse(event).data : undefined;
      const place = { storyId: log.run.story, runId: log.run.id };
      log.append(receipt ? { ...event, seal: sealOf(key, receipt, place) } : event, options);
    },
  };
}

/** Why receipts get no seal here, in sentences. */
export function sealFault(env: Environment): string | undefined {
  const { key, fault } = makeReceiptKey(env);
  return key ? undefined : (fault ?? "The key of receipts is gone again.");
}

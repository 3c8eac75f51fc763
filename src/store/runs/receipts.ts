// The receipts in the records of a story's runs. What an agent wrote is run as a check, by the same user,
// and could write there too: a receipt counts when it carries Saga's seal.

import type { Context } from "../../context.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { receiptSchema, type Receipt } from "../../story/receipts/receipt.ts";
import { isFromFuture } from "../../story/state/run-id.ts";
import type { Run, RunEvent } from "../../story/state/run.ts";
import { findReceiptKey, makeReceiptKey } from "./receipt-key.ts";
import { isSealed, sealOf, type SealPlace } from "./receipt-seal.ts";
import type { RunLog } from "./runs.ts";
import type { Store } from "../store.ts";

/** Of those that hold any: older ones are about code that has long changed. A person's word is not. */
const MAX_RUNS = 5;

export type ReceiptContext = Pick<Context, "store" | "env" | "now">;

export interface FoundReceipts {
  /** Oldest first. */
  readonly receipts: readonly Receipt[];
  /** What was there and does not count, in sentences. */
  readonly warnings: readonly string[];
}

export async function readReceipts(
  { store, env, now }: ReceiptContext,
  storyId: string,
): Promise<FoundReceipts> {
  const all = await store.listRuns(storyId);
  const runs = all.filter(({ id }) => !isFromFuture(id, now()));
  const { key, fault } = findReceiptKey(env);
  const found: FoundReceipts[] = [];
  let counted = 0;
  for (const [at, run] of runs.entries()) {
    if (!isWorthReading(run, at, counted)) continue;
    const read = await readRun(run.id);
    if (read.receipts.length > 0) counted++;
    found.unshift(read);
  }
  const warnings = [
    ...found.flatMap((one) => one.warnings),
    ...all
      .filter((run) => !runs.includes(run))
      .map(({ id }) => `The run ${id} lies in the future, and does not count.`),
  ];
  return {
    receipts: found.flatMap((one) => one.receipts),
    warnings: fault && warnings.length > 0 ? [fault, ...warnings] : warnings,
  };

  async function readRun(runId: string): Promise<FoundReceipts> {
    const events = await gatesOf(store, storyId, runId);
    const receipts = events.flatMap((event) => sealedReceipt(event, { storyId, runId }, key) ?? []);
    const foreign = events.length - receipts.length;
    return { receipts, warnings: foreign > 0 ? [notOurs(foreign, runId)] : [] };
  }
}

/**
 * The newest are, for what someone else may have written there. Of the others only those that say that
 * they hold something: logs are long. Empty runs, and forged ones, push nothing out.
 */
export const isWorthReading = (
  { hasReceipts, hasWord }: Run,
  at: number,
  counted: number,
): boolean => at < MAX_RUNS || hasWord === true || (hasReceipts === true && counted < MAX_RUNS);

/** Nothing when it is no receipt, or not one of Saga's own. */
export function sealedReceipt(
  event: RunEvent,
  place: SealPlace,
  key: Buffer | undefined,
): Receipt | undefined {
  const receipt = event.type === "gate" ? receiptSchema.safeParse(event).data : undefined;
  const seal = event["seal"];
  return receipt && key && isSealed(key, receipt, { ...place, seal }) ? receipt : undefined;
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
      if (receipt) markRun(log, receipt);
      log.append(receipt ? { ...event, seal: sealOf(key, receipt, place) } : event, options);
    },
  };
}

/** Before there is any: a record that nobody finds would be as good as none. */
function markRun({ run, update }: RunLog, { gate }: Receipt): void {
  const isWord = gate === "person";
  if (run.hasReceipts === true && (!isWord || run.hasWord === true)) return;
  update({ hasReceipts: true, ...(isWord && { hasWord: true }) });
}

/** Why receipts get no seal here, in sentences. */
export function sealFault(env: Environment): string | undefined {
  const { key, fault } = makeReceiptKey(env);
  return key ? undefined : (fault ?? "The key of receipts is gone again.");
}

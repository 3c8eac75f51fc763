// The receipts in a story's run records. Checks run an agent's code as the same user, so that code could write here
// too: a receipt counts only with Saga's seal.

import type { Context } from "../../context.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { receiptSchema, type Receipt } from "../../story/receipts/receipt.ts";
import { isFromFuture } from "../../story/state/run-id.ts";
import type { Run, RunEvent } from "../../story/state/run.ts";
import { lastEditIn } from "./person-edit.ts";
import { findReceiptKey, makeReceiptKey } from "./receipt-key.ts";
import { isSealed, sealOf, type SealPlace } from "./receipt-seal.ts";
import type { RunLog } from "./runs.ts";
import type { Store } from "../store.ts";

/** How many runs with receipts are read: older receipts are about code that has changed. Approvals are always read. */
const MAX_RUNS = 5;

export type ReceiptContext = Pick<Context, "store" | "env" | "now">;

export interface FoundReceipts {
  /** Oldest first. */
  readonly receipts: readonly Receipt[];
  /** Records that do not count, in sentences. */
  readonly warnings: readonly string[];
}

export async function readReceipts(
  { store, env, now }: ReceiptContext,
  storyId: string,
): Promise<FoundReceipts> {
  const all = await store.listRuns(storyId);
  const runs = all.filter(({ id }) => !isFromFuture(id, now()));
  const { key, problem } = findReceiptKey(env);
  const found: FoundReceipts[] = [];
  let counted = 0;
  for (const [at, run] of runs.entries()) {
    if (!shouldReadRun(run, at, counted)) continue;
    const read = await readRun(run.id);
    if (read.receipts.length > 0) counted++;
    found.unshift(read);
  }
  const warnings = [
    ...found.flatMap((one) => one.warnings),
    ...all
      .filter((run) => !runs.includes(run))
      .map(({ id }) => `The run ${id} is dated in the future and does not count.`),
  ];
  const editedAt = key && lastEditIn(runs, storyId, key)?.at;
  return {
    receipts: found
      .flatMap((one) => one.receipts)
      // The diff was judged by what the story asked for before.
      .filter(({ gate, at }) => gate !== "diff" || editedAt === undefined || at >= editedAt),
    warnings: problem && warnings.length > 0 ? [problem, ...warnings] : warnings,
  };

  async function readRun(runId: string): Promise<FoundReceipts> {
    const events = await gatesOf(store, storyId, runId);
    const receipts = events.flatMap((event) => sealedReceipt(event, { storyId, runId }, key) ?? []);
    const foreign = events.length - receipts.length;
    return { receipts, warnings: foreign > 0 ? [notOurs(foreign, runId)] : [] };
  }
}

/**
 * The newest runs always, to warn about forged records. Of the others only those marked as having receipts, because
 * logs are long. Empty and forged runs do not count towards the limit.
 */
export const shouldReadRun = (
  { hasReceipts, hasWord }: Run,
  at: number,
  counted: number,
): boolean => at < MAX_RUNS || hasWord === true || (hasReceipts === true && counted < MAX_RUNS);

/** Undefined when the event is not a receipt with Saga's seal. */
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
    ? `1 check result in the run ${runId} was not written by Saga on this machine and does not count.`
    : `${count} check results in the run ${runId} were not written by Saga on this machine and do not count.`;

async function gatesOf(store: Store, storyId: string, runId: string): Promise<RunEvent[]> {
  const { events } = await store.readEvents(storyId, runId);
  return events.filter(({ type }) => type === "gate");
}

/** Seals every receipt that is written to the log. Without a key, receipts are written unsealed. */
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

/** Marks the run before the receipt is written: an unmarked receipt might not be found. */
function markRun({ run, update }: RunLog, { gate }: Receipt): void {
  const isWord = gate === "person";
  if (run.hasReceipts === true && (!isWord || run.hasWord === true)) return;
  update({ hasReceipts: true, ...(isWord && { hasWord: true }) });
}

/** Why receipts cannot be sealed here, in sentences. */
export function sealProblem(env: Environment): string | undefined {
  const { key, problem } = makeReceiptKey(env);
  return key
    ? undefined
    : (problem ?? "The key that signs check results disappeared right after it was created.");
}

// The commit that a story was started from, before any agent could change its files. It is sealed in the record of
// the first run, because an agent may rewrite the branch.

import type { Environment } from "../../machine/processes/environment.ts";
import { findReceiptKey, makeReceiptKey } from "./receipt-key.ts";
import { isSealed, sealOf } from "./receipt-seal.ts";
import type { ReceiptContext } from "./receipts.ts";
import type { RunRecord } from "../../story/state/run-record.ts";

/** Undefined without a sealed record. Runs before a discard do not count. */
export async function readStartCommit(
  { store, env }: Omit<ReceiptContext, "now">,
  storyId: string,
): Promise<string | undefined> {
  const { key } = findReceiptKey(env);
  if (!key) return undefined;
  const runs = await store.listRuns(storyId);
  // The oldest: whatever happened to the branch since then, the story was started once.
  const first = runs.findLast(({ id: runId, start, discardedAt }) => {
    if (start === undefined || discardedAt !== undefined) return false;
    return isSealed(key, { start: start.commit }, { storyId, runId, seal: start.seal });
  });
  return first?.start?.commit;
}

/** Without a key nothing is recorded, and the start is read from git. */
export function recordStartCommit(
  record: Pick<RunRecord, "run" | "update">,
  commit: string,
  env: Environment,
): void {
  const { key } = makeReceiptKey(env);
  if (!key) return;
  const { id: runId, story: storyId } = record.run();
  const seal = sealOf(key, { start: commit }, { storyId, runId });
  record.update({ start: { commit, seal } });
}

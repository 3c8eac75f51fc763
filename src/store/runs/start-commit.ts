// Which commit a story was started with, before any agent came near its files. It stands in the record of
// the run that made it, under Saga's seal: an agent may rewrite the branch.

import type { Environment } from "../../machine/processes/environment.ts";
import { findReceiptKey, makeReceiptKey } from "./receipt-key.ts";
import { isSealed, sealOf } from "./receipt-seal.ts";
import type { ReceiptContext } from "./receipts.ts";
import type { RunRecord } from "./run-recorder.ts";

/** What was discarded has begun anew. */
export async function readStart(
  { store, env }: Omit<ReceiptContext, "now">,
  storyId: string,
): Promise<string | undefined> {
  const { key } = findReceiptKey(env);
  if (!key) return undefined;
  const runs = await store.listRuns(storyId);
  // The first one: by whatever happened to the branch since, the story did not begin again.
  const begun = runs.findLast(({ id: runId, start, discardedAt }) => {
    if (start === undefined || discardedAt !== undefined) return false;
    return isSealed(key, { start: start.commit }, { storyId, runId, seal: start.seal });
  });
  return begun?.start?.commit;
}

/** Without a key there is no mark, and the story is judged by what git says of its beginning. */
export function markStart(
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

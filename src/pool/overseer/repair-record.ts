// Records a repair as a run of the pool's daemon: its cost counts like that of every agent, also if the overseer is
// killed, and `saga logs auto-daemon` shows what the agent did.

import { endRecord, openRecord } from "../../store/runs/run-recorder.ts";
import { endLeftRuns } from "../../store/runs/run-processes.ts";
import { POOL_DAEMON } from "../../story/definition/names.ts";
import type { Settings } from "../../story/settings/settings.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import type { Context } from "../../context.ts";

const KEPT_RUNS = 20;

type RepairStart = Pick<Context, "store" | "env" | "now"> & {
  readonly settings: Pick<Settings, "claude" | "worktree">;
};

export async function startRepairRecord(context: RepairStart): Promise<RunRecord> {
  const { store, settings, now } = context;
  // Those of an overseer that was killed: there is only one at a time, and its agent must not change the list any more.
  await endLeftRuns(store, POOL_DAEMON, now());
  await store.pruneRuns(POOL_DAEMON, KEPT_RUNS);
  const { model } = settings.claude;
  return openRecord({ ...context, print: () => undefined }, POOL_DAEMON, { model });
}

export function endRepairRecord(
  record: RunRecord,
  { now, isRepaired }: { readonly now: () => number; readonly isRepaired: boolean },
): void {
  const outcome = isRepaired ? "done" : "failed";
  const reason = isRepaired ? "Repaired the task list." : "The task list could not be repaired.";
  record.update({ cycles: 1 });
  endRecord(record, { outcome, reason, nowMs: now() });
  record.close();
}

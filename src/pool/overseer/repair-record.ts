// Records a repair as a run of the pool's daemon: its cost counts like that of every agent, also if the overseer is
// killed, and `saga logs auto-daemon` shows what the agent did.

import { thisProcess } from "../../machine/processes/process-id.ts";
import { redactorFor } from "../../machine/files/redact.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { startRecording } from "../../store/runs/run-recorder.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import { listRuns, openRun, pruneRuns, startRun } from "../../store/runs/runs.ts";
import { POOL_DAEMON } from "../../story/definition/names.ts";
import type { Settings } from "../../story/settings/settings.ts";
import type { Context } from "../../context.ts";

const KEPT_RUNS = 20;

export function startRepairRecord({
  project,
  env,
  settings: { claude },
  now,
}: Pick<Context, "env" | "now"> & {
  readonly project: string;
  readonly settings: Pick<Settings, "claude">;
}): RunRecord {
  const at = layoutOf(project);
  // Open runs are of an overseer that was killed: there is only one overseer at a time.
  for (const run of listRuns(at, POOL_DAEMON).filter(({ endedAt }) => endedAt === undefined)) {
    const log = openRun(at, run);
    log.update({ endedAt: new Date(now()).toISOString(), reason: "The overseer was killed." });
    log.close();
  }
  pruneRuns(at, POOL_DAEMON, KEPT_RUNS);
  const log = startRun(at, POOL_DAEMON, now(), { worker: thisProcess(), model: claude.model });
  const record = startRecording(log, now, () => undefined, redactorFor(env, project, []));
  record.note({ type: "run.started" }, { isDurable: true });
  return record;
}

export function endRepairRecord(
  record: RunRecord,
  { now, isRepaired }: { readonly now: () => number; readonly isRepaired: boolean },
): void {
  const { startedAt, costUsd, costIsEstimate } = record.run();
  const outcome = isRepaired ? "done" : "failed";
  const reason = isRepaired ? "Repaired the task list." : "The task list could not be repaired.";
  const ms = now() - Date.parse(startedAt);
  const ended = { outcome, reason, cycles: 1, ms, costUsd, costIsEstimate } as const;
  record.note({ type: "run.ended", ...ended }, { isDurable: true });
  record.update({ endedAt: new Date(now()).toISOString(), outcome, reason, cycles: 1 });
  record.close();
}

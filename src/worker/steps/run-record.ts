// The record of a worker's run: opened with its seal, and ended with the outcome, the reason and the next command.

import { thisProcess } from "../../machine/processes/process-id.ts";
import { redactorFor } from "../../machine/files/redact.ts";
import type { StoryOwner } from "../../repo/sharing/lease-ref.ts";
import { sealProblem, withSeals } from "../../store/runs/receipts.ts";
import { nextAfterRun } from "../../story/state/attention.ts";
import type { RunOutcome } from "../../story/state/state.ts";
import { endOfStop, type StoryEnd } from "../ending.ts";
import { type DeliveredBranch } from "./pull-request.ts";
import { startRecording } from "../../store/runs/run-recorder.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import type { WorkerContext, WorkRequest } from "../context.ts";

export interface WorkerResult {
  readonly outcome: RunOutcome;
  readonly reason: string;
  readonly runId: string;
  readonly cycles: number;
  readonly ms: number;
  readonly costUsd: number;
  readonly costIsEstimate: boolean;
  readonly pullRequest: string | undefined;
  /** The same as the outcome `killed`; kept for scripts that read this field. */
  readonly isCutOff: boolean;
}

export async function startRecord(
  request: WorkRequest,
  context: WorkerContext,
  owner?: Pick<StoryOwner, "fence">,
): Promise<RunRecord> {
  const { session, outputFile } = request;
  const log = await context.store.startRun(request.storyId, {
    worker: thisProcess(),
    ...(owner && { fence: owner.fence }),
    ...(session !== undefined && { session }),
    ...(outputFile !== undefined && { outputFile }),
    model: request.model,
  });
  const { copy } = context.settings.worktree;
  const redact = redactorFor(context.env, context.store.project, copy);
  const sealed = withSeals(log, context.env);
  const record = startRecording(sealed, context.now, context.print, redact);
  record.note({ type: "run.started", session }, { isDurable: true });
  const sealError = sealProblem(context.env);
  if (sealError !== undefined) {
    record.warn(
      `Check results of this run will not count for a merge, because they cannot be signed: ${sealError}`,
    );
  }
  return record;
}

export function endRun(
  record: RunRecord,
  context: WorkerContext,
  end: StoryEnd,
  { pull, pushError }: DeliveredBranch = {},
): WorkerResult {
  const final = end.outcome === "stopped" ? endOfStop(end, context.isStopWanted()) : end;
  const { outcome, reason: fullReason, limit } = final;
  // The reason is shown everywhere, and may quote a program's output.
  const reason = record.redact(fullReason);
  const { id: runId, story, startedAt, cycles, costUsd, costIsEstimate = false } = record.run();
  const nowMs = context.now();
  const ms = nowMs - Date.parse(startedAt);
  const ended = { outcome, reason, cycles, ms, costUsd, costIsEstimate };
  const next = nextAfterRun(outcome, story);
  record.note({ type: "run.ended", ...ended, next }, { isDurable: true });
  record.update({ endedAt: new Date(nowMs).toISOString(), outcome, reason, limit, pushError });
  return { ...ended, runId, pullRequest: pull?.ref, isCutOff: outcome === "killed" };
}

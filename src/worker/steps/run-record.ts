// The record of a story's run: opened with its fence, and ended with the outcome, the reason and the next command.

import type { StoryOwner } from "../../repo/sharing/lease-ref.ts";
import { endRecord, openRecord, type RecordedEnd } from "../../store/runs/run-recorder.ts";
import { nextAfterRun } from "../../story/state/attention.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import { endOfStop, type StoryEnd } from "../ending.ts";
import { type DeliveredBranch } from "./pull-request.ts";
import type { WorkerContext, WorkRequest } from "../context.ts";

export interface WorkerResult extends RecordedEnd {
  readonly runId: string;
  readonly pullRequest: string | undefined;
  /** The same as the outcome `killed`; kept for scripts that read this field. */
  readonly isCutOff: boolean;
}

export const startRecord = (
  { storyId, session, outputFile, model }: WorkRequest,
  context: WorkerContext,
  owner?: Pick<StoryOwner, "fence">,
): Promise<RunRecord> =>
  openRecord(context, storyId, { session, outputFile, model, fence: owner?.fence });

export function endRun(
  record: RunRecord,
  context: WorkerContext,
  end: StoryEnd,
  { pull, pushError }: DeliveredBranch = {},
): WorkerResult {
  const final = end.outcome === "stopped" ? endOfStop(end, context.isStopWanted()) : end;
  const { id: runId, story } = record.run();
  const next = nextAfterRun(final.outcome, story);
  const ended = endRecord(record, { ...final, nowMs: context.now(), next, pushError });
  return { ...ended, runId, pullRequest: pull?.ref, isCutOff: ended.outcome === "killed" };
}

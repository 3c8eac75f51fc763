// Records the result of a task: first in the list, then in the run's record, and notifies a person if needed.

import { join } from "node:path";
import type { Claim, ClaimWrite } from "../../tasks/claims/claim.ts";
import { messageOf } from "../../errors.ts";
import type { RequestResult } from "../../tasks/daemon-files.ts";
import { endRecord } from "../../store/runs/run-recorder.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import type { PoolTask } from "../../tasks/task.ts";
import type { RunOutcome } from "../../story/state/state.ts";
import type { TaskEnd } from "../task/outcome.ts";
import { countFailure, mark } from "../list/task-marks.ts";
import type { PoolWorker } from "../task/context.ts";
import { notifyHeldTask } from "./notify.ts";

export interface TaskResult {
  readonly claim: Claim;
  readonly task: PoolTask;
  readonly record: RunRecord;
  readonly end: TaskEnd;
}

export type RecordedResult = Omit<RequestResult, "number" | "taskId" | "subject">;

/** The list comes first: the run's record must be true when it is written. */
export async function recordResult(worker: PoolWorker, given: TaskResult): Promise<RecordedResult> {
  const result = { ...given, end: withoutSecrets(given.end, given.record.redact) };
  const { record, end } = result;
  let recorded: RecordedResult;
  try {
    recorded = await writeEnd(worker, result);
  } catch (error) {
    const message = `The result of task ${result.task.id} could not be written: ${messageOf(error)}`;
    const file = join(worker.listFolder, `${result.task.id}.json`);
    const problem = { kind: "write-failed", file, taskId: result.task.id, message } as const;
    recorded = { kind: "returned", reason: message, problem };
  }
  const outcome = recorded.kind === "lost" ? "failed" : OUTCOMES[end.kind];
  endRecord(record, { outcome, reason: recorded.reason, nowMs: worker.now() });
  return recorded;
}

/** The reason is shown in many places, and may quote an agent or a program. */
export function withoutSecrets(end: TaskEnd, redact: RunRecord["redact"]): TaskEnd {
  const reason = redact(end.reason);
  if (end.kind !== "returned" || end.problem === undefined) return { ...end, reason };
  return { ...end, reason, problem: { ...end.problem, message: redact(end.problem.message) } };
}

const OUTCOMES: Readonly<Record<TaskEnd["kind"], RunOutcome>> = {
  completed: "done",
  failed: "failed",
  held: "blocked",
  returned: "stopped",
};

async function writeEnd(
  worker: PoolWorker,
  { claim, task, record, end }: TaskResult,
): Promise<RecordedResult> {
  const { reason } = end;
  const at = new Date(worker.now()).toISOString();
  const over = { run: undefined, finished: undefined };
  switch (end.kind) {
    case "completed": {
      const { commit } = end;
      const written = await claim.complete(mark({ ...over, lastFailure: undefined }));
      // The file was removed after the work was merged.
      const isMerged = written === "gone" && commit !== undefined;
      if (isMerged) return { kind: "completed", reason, commit, remark: "its task file is gone" };
      return lostAs(written) ?? { kind: "completed", reason, commit };
    }
    case "returned": {
      const { finished, problem } = end;
      const marks = { run: undefined, ...(finished !== undefined && { finished }) };
      const written = await claim.returnTask(mark(marks));
      return lostAs(written) ?? { kind: "returned", reason, problem, remark: remarkOf(written) };
    }
    case "held": {
      const held = { kind: end.as, why: reason, at };
      const written = await claim.returnTask(mark({ ...over, held }));
      const lost = lostAs(written);
      if (lost) return lost;
      await notify(worker, { record, task, reason, isQuestion: end.as === "blocker" });
      return { kind: "held", reason, remark: remarkOf(written) };
    }
    case "failed": {
      const { maxAttempts } = worker.settings.auto;
      const { marks, isParked } = countFailure(task.attempts, { reason, maxAttempts, at });
      const written = await claim.returnTask(mark({ ...over, ...marks }));
      const lost = lostAs(written);
      if (lost) return lost;
      const remark = remarkOf(written);
      if (!isParked) return { kind: "failed", reason, remark };
      const why = marks.held?.why ?? reason;
      await notify(worker, { record, task, reason: why, isQuestion: false });
      return { kind: "held", reason: why, remark };
    }
  }
}

/** Undefined if it was written. */
export function lostAs(written: ClaimWrite): RecordedResult | undefined {
  if (written === "lost") return { kind: "lost", reason: "Another process has claimed the task." };
  if (written !== "gone") return undefined;
  return {
    kind: "lost",
    reason: "Its task file was deleted. Nothing was merged; the work is saved as a snapshot.",
  };
}

const remarkOf = (written: ClaimWrite): string | undefined =>
  written === "changed" ? "its status or owner was changed in the meantime" : undefined;

interface Notification {
  readonly record: RunRecord;
  readonly task: Pick<PoolTask, "id" | "subject">;
  readonly reason: string;
  readonly isQuestion: boolean;
}

async function notify(
  worker: PoolWorker,
  { record, task: { id, subject }, reason, isQuestion }: Notification,
): Promise<void> {
  const sender = { ...worker, redact: record.redact };
  const held = { id, subject, occasion: record.run().id, reason, isQuestion };
  (await notifyHeldTask(sender, held)).forEach(record.warn);
}

// What became of a task: first on the list, then in the record of its run, and to the person where it needs one.

import { join } from "node:path";
import type { Claim, ClaimWrite } from "../../tasks/claims/claim.ts";
import { messageOf } from "../../errors.ts";
import type { RequestResult } from "../../tasks/daemon-files.ts";
import type { RunRecord } from "../../store/runs/run-recorder.ts";
import type { PoolTask } from "../../tasks/task.ts";
import type { RunOutcome } from "../../story/state/state.ts";
import type { TaskEnd } from "../task/outcome.ts";
import { countFailure, mark } from "../list/task-marks.ts";
import type { PoolWorker } from "../task/context.ts";
import { tellOfTask } from "./notify.ts";

export interface Settling {
  readonly claim: Claim;
  readonly task: PoolTask;
  readonly record: RunRecord;
  readonly end: TaskEnd;
}

export type Settled = Omit<RequestResult, "number" | "taskId" | "subject">;

/** The list first: what the run says about itself must be true when it says it. */
export async function settle(worker: PoolWorker, told: Settling): Promise<Settled> {
  const settling = { ...told, end: withoutSecrets(told.end, told.record.redact) };
  const { record, end } = settling;
  let settled: Settled;
  try {
    settled = await writeEnd(worker, settling);
  } catch (error) {
    const message = `What became of task ${settling.task.id} could not be written: ${messageOf(error)}`;
    const file = join(worker.listFolder, `${settling.task.id}.json`);
    const problem = { kind: "write-failed", file, taskId: settling.task.id, message } as const;
    settled = { kind: "returned", reason: message, problem };
  }
  const outcome = settled.kind === "lost" ? "failed" : OUTCOMES[end.kind];
  const { startedAt, cycles, costUsd, costIsEstimate } = record.run();
  const nowMs = worker.now();
  const ms = nowMs - Date.parse(startedAt);
  const { reason } = settled;
  const ended = { outcome, reason, cycles, ms, costUsd, costIsEstimate };
  record.note({ type: "run.ended", ...ended }, { isDurable: true });
  record.update({ endedAt: new Date(nowMs).toISOString(), outcome, reason });
  return settled;
}

/** The list, the daemon's lines and the worker's file all say it, and it may quote an agent or a program. */
function withoutSecrets(end: TaskEnd, redact: RunRecord["redact"]): TaskEnd {
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
  { claim, task, record, end }: Settling,
): Promise<Settled> {
  const { reason } = end;
  const at = new Date(worker.now()).toISOString();
  const over = { run: undefined, finished: undefined };
  switch (end.kind) {
    case "completed": {
      const { commit } = end;
      const kept = await claim.complete(mark({ ...over, lastFailure: undefined }));
      // Whoever removed it was too late: it has arrived.
      const isMerged = kept === "gone" && commit !== undefined;
      if (isMerged) return { kind: "completed", reason, commit, aside: "its task file is gone" };
      return lostAs(kept) ?? { kind: "completed", reason, commit };
    }
    case "returned": {
      const { finished, problem } = end;
      const marks = { run: undefined, ...(finished !== undefined && { finished }) };
      const kept = await claim.returnTask(mark(marks));
      return lostAs(kept) ?? { kind: "returned", reason, problem, aside: asideOf(kept) };
    }
    case "held": {
      const held = { kind: end.as, why: reason, at };
      const kept = await claim.returnTask(mark({ ...over, held }));
      const lost = lostAs(kept);
      if (lost) return lost;
      await tell(worker, { record, task, reason, isQuestion: end.as === "blocker" });
      return { kind: "held", reason, aside: asideOf(kept) };
    }
    case "failed": {
      const { maxAttempts } = worker.settings.auto;
      const { marks, isParked } = countFailure(task.attempts, { reason, maxAttempts, at });
      const kept = await claim.returnTask(mark({ ...over, ...marks }));
      const lost = lostAs(kept);
      if (lost) return lost;
      const aside = asideOf(kept);
      if (!isParked) return { kind: "failed", reason, aside };
      const why = marks.held?.why ?? reason;
      await tell(worker, { record, task, reason: why, isQuestion: false });
      return { kind: "held", reason: why, aside };
    }
  }
}

/** Nothing when it was written. */
function lostAs(kept: ClaimWrite): Settled | undefined {
  if (kept === "lost") return { kind: "lost", reason: "Someone else has the task now." };
  if (kept !== "gone") return undefined;
  return {
    kind: "lost",
    reason: "Its task file is gone. Nothing was merged, and all work is kept.",
  };
}

const asideOf = (kept: ClaimWrite): string | undefined =>
  kept === "changed" ? "someone had changed its status or owner meanwhile" : undefined;

interface Occasion {
  readonly record: RunRecord;
  readonly task: Pick<PoolTask, "id" | "subject">;
  readonly reason: string;
  readonly isQuestion: boolean;
}

async function tell(
  worker: PoolWorker,
  { record, task: { id, subject }, reason, isQuestion }: Occasion,
): Promise<void> {
  const speaker = { ...worker, redact: record.redact };
  const held = { id, subject, occasion: record.run().id, reason, isQuestion };
  (await tellOfTask(speaker, held)).forEach(record.warn);
}

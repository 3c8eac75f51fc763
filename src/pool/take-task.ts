// One order of the daemon's: the task is claimed, worked on and settled, or left where it is, with the reason.

import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { claimTask, type Claimer } from "../claude/task-claims.ts";
import { messageOf, SagaError, sentencesOf } from "../errors.ts";
import { thisProcess } from "../machine/process.ts";
import { redactorFor } from "../machine/redact.ts";
import { readDaemon, type OrderResult, type WorkerOrder } from "../store/daemon-files.ts";
import { keepRecord, type RunRecord } from "../store/run-record.ts";
import { poolTaskOf } from "../story/pool-task.ts";
import { untilAccountIsFree } from "./patience.ts";
import { settle } from "./settle-task.ts";
import { whyTargetIsBusy } from "./target-ready.ts";
import type { TaskEnd } from "./task-end.ts";
import { mark } from "./task-marks.ts";
import { runTask } from "./task-run.ts";
import type { PoolWorker } from "./task-work.ts";

/** Whether the task is still its own, and still there. */
const LOOK_EVERY_MS = 1_000;

export async function takeTask(
  worker: PoolWorker,
  claimer: Claimer,
  order: Extract<WorkerOrder, { taskId: string }>,
): Promise<OrderResult> {
  const { number, taskId } = order;
  const notTaken = (reason: string): OrderResult => ({
    number,
    taskId,
    kind: "not-taken",
    reason,
  });
  const isWanted = (): boolean => readDaemon(worker.folder)?.state === "running";
  await untilAccountIsFree(worker, isWanted);
  // What else may be wrong with the target is said when it is begun on.
  const busy = await whyTargetIsBusy(worker).catch(() => undefined);
  if (worker.stop.aborted || !isWanted()) return notTaken("Nothing is begun any more.");
  if (busy !== undefined) return { ...notTaken(busy.message), problem: busy };
  const claimed = await claimTask(worker.listFolder, claimer, taskId).catch(unwritten);
  switch (claimed.kind) {
    case "unwritten": {
      const file = join(worker.listFolder, `${taskId}.json`);
      const { message } = claimed;
      return { ...notTaken(message), problem: { kind: "write-failed", file, taskId, message } };
    }
    case "held":
      return notTaken(`${claimed.by.owner} has it.`);
    case "changed":
      return notTaken(claimed.why);
    case "gone":
      return notTaken("It is not there any more.");
    case "claimed":
  }
  const { claim, task } = claimed;
  const read = poolTaskOf(task, worker.now());
  if (read.fault !== undefined) {
    await claim.giveBack();
    return notTaken(read.fault);
  }
  let record: RunRecord;
  try {
    record = await startRecord(worker, taskId);
  } catch (error) {
    await claim.giveBack();
    const message = `The run could not be recorded: ${messageOf(error)}`;
    return { ...notTaken(message), problem: { kind: "write-failed", taskId, message } };
  }
  const lost = new AbortController();
  const file = join(worker.listFolder, `${taskId}.json`);
  const lookAtClaim = async (): Promise<void> => {
    if (!claim.isMine() || (await isGone(file))) lost.abort();
  };
  const looking = setInterval(() => void lookAtClaim(), LOOK_EVERY_MS);
  try {
    worker.say({ state: "working", task: taskId, subject: task.subject, run: record.run().id });
    await claim.update(mark({ run: record.run().id }));
    const { model } = worker.settings.claude;
    const end = await runTask({
      worker: { ...worker, stop: AbortSignal.any([worker.stop, lost.signal]) },
      task: { ...read.task, description: task.description },
      record,
      lookAtClaim,
      order: { model, maxCostUsd: worker.settings.run.maxCost },
      bills: new Map(),
      made: new Set(),
    }).catch((error: unknown): TaskEnd => ({ kind: "failed", reason: sentencesOf(error) }));
    const { subject } = task;
    const settled = await settle(worker, { claim, task: read.task, record, end });
    return { number, taskId, subject, ...settled };
  } finally {
    clearInterval(looking);
    record.close();
    await worker.store.pruneRuns(worker.name, worker.settings.run.keep);
  }
}

/** Someone may replace it in two steps. */
const GONE_FOR_MS = 250;

async function isGone(file: string): Promise<boolean> {
  if (isThere(file)) return false;
  await wait(GONE_FOR_MS);
  return !isThere(file);
}

/** What cannot be looked at is not gone for that. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Claude Code holding its lock for long is no fault; a list that cannot be written is. */
function unwritten(
  error: unknown,
): { kind: "unwritten"; message: string } | { kind: "changed"; why: string } {
  const isBusy = error instanceof SagaError && error.code === "in-use";
  return isBusy
    ? { kind: "changed", why: error.message }
    : { kind: "unwritten", message: messageOf(error) };
}

async function startRecord(worker: PoolWorker, taskId: string): Promise<RunRecord> {
  const { store, name, session, outputFile, settings, env, list } = worker;
  const log = await store.startRun(name, {
    worker: thisProcess(),
    ...(session !== undefined && { session }),
    ...(outputFile !== undefined && { outputFile }),
    model: settings.claude.model,
    task: taskId,
    list,
  });
  const copied = settings.worktree.copy.map((path) => join(store.project, path));
  const record = keepRecord(log, worker.now, worker.print, redactorFor(env, copied));
  record.note({ type: "run.started", session }, { isDurable: true });
  return record;
}

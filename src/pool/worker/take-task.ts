// One request of the daemon: claims the task, works on it and records the result, or says why the task was not claimed.

import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { newCostMeter } from "../../agent/cost.ts";
import { claimTask, type ClaimResult } from "../../tasks/claims/claim.ts";
import type { Claimer } from "../../store/claims/claimer.ts";
import { messageOf, SagaError, messageWithHint } from "../../errors.ts";
import { whileGuarded } from "../../machine/programs/config-guard.ts";
import { readDaemon, type RequestResult, type WorkerRequest } from "../../tasks/daemon-files.ts";
import { openRecord } from "../../store/runs/run-recorder.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import { poolTaskOf, type PoolTask } from "../../tasks/task.ts";
import { recordResult, type RecordedResult } from "../result/record-result.ts";
import { whyTargetIsBusy } from "../task/target-ready.ts";
import type { TaskEnd } from "../task/outcome.ts";
import { mark } from "../list/task-marks.ts";
import { runTask } from "../task/run-task.ts";
import { withinBudget } from "../../store/money/within-budget.ts";
import type { PoolWorker } from "../task/context.ts";
import { readUsageLimit } from "../../agent/usage-limit.ts";

/** How often the claim, the task's file and a usage limit are checked. */
const CHECK_EVERY_MS = 1_000;

type TaskRequest = Extract<WorkerRequest, { taskId: string }>;
type ClaimedTask = Extract<ClaimResult, { kind: "claimed" }>;
type Unwritten = { readonly kind: "unwritten"; readonly message: string };

interface NotClaimed {
  readonly reason: string;
  readonly problem?: PoolProblem;
}

export async function takeTask(
  worker: PoolWorker,
  claimer: Claimer,
  { number, taskId }: TaskRequest,
): Promise<RequestResult> {
  const claim = await claimIfWanted(worker, claimer, taskId);
  if ("reason" in claim) return { number, taskId, kind: "not-taken", ...claim };
  const { subject } = claim.claimed.task;
  return { number, taskId, subject, ...(await workOnClaimed(worker, claim)) };
}

interface ClaimedWork {
  readonly claimed: ClaimedTask;
  readonly task: PoolTask;
  readonly record: RunRecord;
}

/** Claims the task and starts its run, or says why not. */
async function claimIfWanted(
  worker: PoolWorker,
  claimer: Claimer,
  taskId: string,
): Promise<ClaimedWork | NotClaimed> {
  const isWanted = (): boolean => readDaemon(worker.folder)?.state === "running";
  await waitForAccount(worker, isWanted);
  // Other errors about the target are reported when the worktree is prepared.
  const busy = await whyTargetIsBusy(worker).catch(() => undefined);
  if (worker.stop.aborted || !isWanted()) return { reason: "The pool starts no more tasks." };
  if (busy !== undefined) return { reason: busy.message, problem: busy };
  const claimed = await claimTask(worker.listFolder, claimer, taskId).catch(unwritten);
  if (claimed.kind !== "claimed") return whyNotClaimed(claimed, worker, taskId);
  const read = poolTaskOf(claimed.task, worker.now());
  if (read.problem !== undefined) {
    await claimed.claim.returnTask();
    return { reason: read.problem };
  }
  try {
    return { claimed, task: read.task, record: await openTaskRecord(worker, taskId) };
  } catch (error) {
    await claimed.claim.returnTask();
    const message = `The run could not be recorded: ${messageOf(error)}`;
    return { reason: message, problem: { kind: "write-failed", taskId, message } };
  }
}

export function whyNotClaimed(
  claimed: Exclude<ClaimResult, ClaimedTask> | Unwritten,
  { listFolder }: Pick<PoolWorker, "listFolder">,
  taskId: string,
): NotClaimed {
  switch (claimed.kind) {
    case "unwritten": {
      const { message } = claimed;
      const file = fileOf(listFolder, taskId);
      return { reason: message, problem: { kind: "write-failed", file, taskId, message } };
    }
    case "held":
      return { reason: `${claimed.by.owner} has claimed it.` };
    case "changed":
      return { reason: claimed.why };
    case "gone":
      return { reason: "It does not exist any more." };
  }
}

async function workOnClaimed(
  worker: PoolWorker,
  { claimed, record, task }: ClaimedWork,
): Promise<RecordedResult> {
  const { claim } = claimed;
  const { taskId } = claim;
  const { description, subject } = claimed.task;
  const lost = new AbortController();
  const file = fileOf(worker.listFolder, taskId);
  const checkClaim = async (): Promise<void> => {
    if (!(await claim.isMine()) || (await isGone(file))) lost.abort();
  };
  const checking = setInterval(() => void checkClaim(), CHECK_EVERY_MS);
  try {
    worker.report({ state: "working", task: taskId, subject, run: record.run().id });
    await claim.update(mark({ run: record.run().id }));
    const stop = AbortSignal.any([worker.stop, lost.signal]);
    const end = await whileGuarded(
      { folder: worker.repository.project, env: worker.env },
      { mark: [RUN_MARK, record.run().id], warn: record.warn },
      () =>
        withinBudget<TaskEnd>(
          { ...worker, record },
          {
            kind: "task",
            maxCostUsd: worker.settings.run.maxCost || undefined,
            // It goes back on the list as it was.
            refused: (reason) => ({ kind: "returned", reason }),
            act: (limit, budget) =>
              runTask({
                worker: { ...worker, stop, budget },
                task: { ...task, description },
                record,
                checkClaim,
                request: { model: worker.settings.claude.model, ...limit },
                meter: newCostMeter(record, worker.agent),
                made: new Set(),
              }),
          },
        ),
    ).catch((error: unknown): TaskEnd => ({ kind: "failed", reason: messageWithHint(error) }));
    return await recordResult(worker, { claim, task, record, end });
  } finally {
    clearInterval(checking);
    record.close();
    await worker.store.pruneRuns(worker.name, worker.settings.run.keep);
  }
}

const fileOf = (list: string, taskId: string): string => join(list, `${taskId}.json`);

/** An editor may replace the file in two steps. */
const GONE_FOR_MS = 250;

async function isGone(file: string): Promise<boolean> {
  if (isThere(file)) return false;
  await wait(GONE_FOR_MS);
  return !isThere(file);
}

/** A file that cannot be read still exists. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** A lock that Claude Code holds for long is not an error; a list that cannot be written is. */
export function unwritten(error: unknown): Unwritten | Extract<ClaimResult, { kind: "changed" }> {
  const isBusy = error instanceof SagaError && error.code === "in-use";
  return isBusy
    ? { kind: "changed", why: error.message }
    : { kind: "unwritten", message: messageOf(error) };
}

function openTaskRecord(worker: PoolWorker, task: string): Promise<RunRecord> {
  const { name, session, outputFile, settings, list } = worker;
  return openRecord(worker, name, {
    session,
    outputFile,
    model: settings.claude.model,
    task,
    list,
  });
}

/** Before a task is claimed: a task that would only wait is left to other workers. */
async function waitForAccount(
  { settings, env, now, stop, report }: PoolWorker,
  /** Whether the worker should still wait. */
  isWanted: () => boolean,
): Promise<void> {
  for (;;) {
    const usageLimit = readUsageLimit(env, now(), settings.claude.model);
    if (!usageLimit || stop.aborted || !isWanted()) return;
    report({ state: "waiting" });
    const waitMs = Math.min(usageLimit.untilMs - now(), CHECK_EVERY_MS);
    await wait(waitMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

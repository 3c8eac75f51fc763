// One task, from its claim to its end.
//
//   what happens            what follows
//   finish "done"           committed, judged, merged: completed
//   finish "no_changes"     completed without a commit, if the target passes the checks
//   done, but not merged    back on the list with its commit, which the next worker merges first, or finds
//                           in the target
//   the gate refuses        the agent fixes it in the same conversation, `gate.fix_rounds` times; then failed
//   a conflict              the agent resolves it in the same conversation, once; then parked
//   a question, or an end   on hold with the question, or with the agent's last text: never completed
//   without finish
//   a usage limit           waits, and continues the same conversation
//   the day's budget is     the agent ends in an orderly way; back on the list, not counted, with a snapshot
//   spent
//   a crash, silence, time  failed: back on the list, counted
//   the worker is stopped   back on the list, not counted

import { setTimeout as wait } from "node:timers/promises";
import { CONTINUE } from "../../agent/usage-limit.ts";
import { messageOf, SagaError, messageWithHint, type ErrorCode } from "../../errors.ts";
import { accept } from "../result/merge-task.ts";
import { acceptAsIs } from "../result/accept-as-is.ts";
import { checksOf } from "../result/merged-task.ts";
import { contextFor, readContextFile, type TaskContext } from "../list/context-file.ts";
import { finishedAndArrived, finishedCommit, checkOutFinished } from "../result/finished-work.ts";
import { judgeFinish } from "./judge-finish.ts";
import { newTimeBudget } from "../../agent/time-budget.ts";
import type { Finish } from "./tools.ts";
import { afterGate, mergedInto, type Rounds } from "./after-gate.ts";
import { poolPrompt, restartPrompt } from "./prompt.ts";
import { busyTarget } from "./target-ready.ts";
import { runTaskAgent, type TaskAgentResult } from "./run-agent.ts";
import {
  returnedWithProblem,
  endOf,
  failed,
  STOPPED,
  type Returned,
  type TaskEnd,
} from "./outcome.ts";
import { snapshotWork, prepareTaskWork } from "./prepare-worktree.ts";
import type { TaskGateResult } from "../result/gate.ts";
import type { PreparedTaskWork, TaskWork } from "./context.ts";

export async function runTask(work: TaskWork): Promise<TaskEnd> {
  const context = readContext(work);
  if ("kind" in context) return context;
  const fresh = await prepare(work);
  if ("kind" in fresh) return fresh;
  const arrived = await finishedAndArrived(fresh);
  if (arrived !== undefined && (await passesAsIs(fresh)))
    return mergedInto(fresh.target.branch, arrived);
  const finished = await checkOutFinished(fresh);
  const early = finished && (await deliverFinished(finished));
  if (early?.kind === "completed") return early;
  // Preparing again keeps what the attempt left as a snapshot.
  const prepared = finished && early === undefined ? await prepare(work) : (finished ?? fresh);
  if ("kind" in prepared) return prepared;
  const end =
    early ??
    (await workOn(prepared, context).catch((error: unknown): TaskEnd => failedBy(work, error)));
  // Unmerged work must survive the next task in this worktree.
  if (end.kind !== "completed")
    await snapshotWork(prepared, `the task ${work.task.id} was not merged`);
  return end;
}

/** Work that a person merged by hand, or whose receipt is lost, counts if the target passes the task's checks. */
async function passesAsIs(work: PreparedTaskWork): Promise<boolean> {
  const accepted = await acceptWithRetry(work, { outcome: "no_changes", summary: "" });
  return accepted.kind === "as-is";
}

const RETRY_PAUSE_MS = 5_000;
/** Errors of the settings: a retry cannot help. */
const WRONG_SETTINGS: ReadonlySet<ErrorCode> = new Set(["bad-setting", "not-found"]);

/** Tries again once, for example if a remote does not answer; then no other task would do better either. */
async function prepare(work: TaskWork): Promise<PreparedTaskWork | Returned> {
  const { record, worker } = work;
  for (let attempt = 1; ; attempt++) {
    try {
      return await record.step(
        "worktree",
        () => prepareTaskWork(work),
        ({ base }) => `ready, at ${base.branch}`,
      );
    } catch (error) {
      if (worker.stop.aborted) return STOPPED;
      const message = `The worktree cannot be prepared: ${messageWithHint(error)}`;
      record.warn(message);
      const needsPerson = error instanceof SagaError && WRONG_SETTINGS.has(error.code);
      if (attempt > 1 || needsPerson)
        return returnedWithProblem({ kind: "crashed", message, needsPerson });
      await wait(RETRY_PAUSE_MS, undefined, { signal: worker.stop }).catch(() => undefined);
    }
  }
}

/** Read for each task: it may be edited while the pool runs. */
function readContext({ worker, task }: TaskWork): TaskContext | Returned {
  try {
    return contextFor(readContextFile(worker.contextFile), task.label);
  } catch (error) {
    return returnedWithProblem({
      kind: "context",
      file: worker.contextFile,
      message: messageOf(error),
    });
  }
}

/** If others keep moving the target, a later attempt merges the work. */
const MAX_MOVES = 3;

async function workOn(work: PreparedTaskWork, context: TaskContext): Promise<TaskEnd> {
  const { worker, record, request } = work;
  const budget = newTimeBudget<Returned>({
    ...worker,
    record,
    maxMs: worker.settings.run.maxMinutes * 60_000,
    model: request.model,
    onWait: () => worker.report({ state: "waiting" }),
    stopped: STOPPED,
    tooLong: (reason) => ({ kind: "returned", reason }),
  });
  let prompt = promptOf(work, context);
  let resume: string | undefined;
  let rounds: Rounds = { fixes: 0, conflicts: 0 };
  for (;;) {
    if (worker.stop.aborted) return STOPPED;
    const limit = (await budget.waitForUsageLimit()) ?? spentBudget(worker);
    if (limit) return limit;
    worker.report({ state: "working" });
    const whyNotFinished = (finish: Finish): Promise<string | undefined> =>
      judgeFinish(work, finish);
    const deadlineMs = budget.deadlineMs();
    const run = await runTaskAgent(work, { prompt, resume, deadlineMs, whyNotFinished });
    if (resume !== undefined && isConversationLost(run)) {
      // The worktree is unchanged: a new conversation starts with everything that the old one knew.
      const first = promptOf(work, context);
      prompt = prompt === CONTINUE ? first : restartPrompt(first, prompt);
      resume = undefined;
      continue;
    }
    resume = run.end.conversation;
    if (run.end.outcome.kind === "limit" && !hasAnswered(run)) {
      budget.recordLimit(run.end.outcome);
      prompt = CONTINUE;
      continue;
    }
    budget.resetPause();
    const ended = endOf(work, run);
    if (ended) return ended;

    // The lane and the checks take their time, not the agent.
    const accepted = await budget.pauseDuring(() => acceptWithRetry(work, run.finish));
    if (accepted.kind === "returned") return accepted;
    if (accepted.kind === "checked-out") return notMovable(work, accepted);
    if (accepted.kind === "stopped") return { ...STOPPED, finished: await finishedCommit(work) };
    const next = afterGate(accepted, rounds, {
      branch: work.branch,
      target: work.target.branch,
      fixRounds: worker.settings.gate.fixRounds,
      summary: run.finish?.summary ?? "",
    });
    if (next.end) return next.end;
    ({ prompt, rounds } = next);
    if (resume === undefined) return failed("The conversation cannot be continued.");
  }
}

/** Merges what an earlier run finished. Undefined if it is not accepted any more: then the task is done again. */
async function deliverFinished(work: PreparedTaskWork): Promise<TaskEnd | undefined> {
  const { record, task } = work;
  const accepted = await acceptWithRetry(work);
  switch (accepted.kind) {
    case "merged":
      return mergedInto(work.target.branch, accepted.commit);
    case "returned":
      return accepted;
    case "checked-out":
      return notMovable(work, accepted);
    case "stopped":
      return { ...STOPPED, finished: task.finished };
    case "moved":
      return { kind: "returned", reason: accepted.why, finished: task.finished };
    case "as-is":
    case "refused":
    case "conflict":
      record.warn(
        "The finished work of an earlier run no longer passes the gate, so the task starts over.",
      );
      return undefined;
  }
}

/** For the log. */
const MERGE_TEXTS: Readonly<Record<TaskGateResult["kind"], string>> = {
  merged: "done",
  "as-is": "no change was needed, and the checks pass",
  refused: "the gate refused the work",
  conflict: "the work conflicts with the target",
  moved: "the target has new commits; trying again",
  "checked-out": "the target's checkout may not be updated",
  stopped: "stopped",
};

/** If others moved the target in the meantime, the work is merged again on top of it. */
async function acceptWithRetry(
  work: PreparedTaskWork,
  finish?: Finish,
): Promise<TaskGateResult | Returned> {
  const { record, worker, target, task } = work;
  const how = finish?.outcome === "no_changes" ? acceptAsIs : accept;
  const attempt = async (): Promise<TaskGateResult | Returned> => {
    // A task that was taken over or removed is not merged.
    await work.checkClaim();
    if (worker.stop.aborted) return STOPPED;
    for (let moves = 1; ; moves++) {
      const accepted = await record.step(
        "accept",
        () => how(work),
        ({ kind }) => MERGE_TEXTS[kind],
      );
      if (accepted.kind !== "moved" || moves === MAX_MOVES) return accepted;
    }
  };
  worker.report({ state: "accepting" });
  try {
    // Every step can be repeated: one killed git command must not stop the pool.
    return await attempt().catch((error: unknown) => {
      if (worker.stop.aborted) throw error;
      record.warn(`Trying again: ${messageOf(error)}`);
      return attempt();
    });
  } catch (error) {
    const finished = await finishedCommit(work).catch(() => undefined);
    if (worker.stop.aborted) return { ...STOPPED, finished };
    // A remote that refuses this task's work would refuse the next one's too.
    const message = `The work on task ${task.id} is done, but could not be merged into ${target.branch}: ${messageWithHint(error)}`;
    const problem = { kind: "write-failed", taskId: task.id, message, needsPerson: true } as const;
    return { ...returnedWithProblem(problem), finished };
  }
}

const promptOf = (
  { worker, task, worktree, target }: PreparedTaskWork,
  context: TaskContext,
): string =>
  poolPrompt({
    task,
    list: worker.list,
    worktree,
    target: target.branch,
    context,
    gate: { limits: worker.settings.gate, checks: checksOf(worker, task) },
    answers: task.answers,
    lastFailure: task.lastFailure,
  });

/** No further run is started, not even to fix what the gate refused. */
function spentBudget({ budget }: TaskWork["worker"]): Returned | undefined {
  const reason = budget?.reason();
  return reason === undefined ? undefined : { kind: "returned", reason };
}

const hasAnswered = ({ finish, question }: TaskAgentResult): boolean =>
  finish !== undefined || question !== undefined;

const isConversationLost = ({ end: { outcome } }: TaskAgentResult): boolean =>
  outcome.kind === "crashed" && outcome.isConversationLost === true;

async function notMovable(
  work: PreparedTaskWork,
  checkout: Extract<TaskGateResult, { kind: "checked-out" }>,
): Promise<TaskEnd> {
  const { target, record, task } = work;
  const statement = `The work on task ${task.id} is done, but ${target.branch} cannot be updated`;
  const problem = { ...busyTarget(statement, checkout), taskId: task.id };
  record.warn(problem.message);
  return { ...returnedWithProblem(problem), finished: await finishedCommit(work) };
}

function failedBy({ worker }: TaskWork, error: unknown): TaskEnd {
  return worker.stop.aborted ? STOPPED : failed(messageWithHint(error));
}

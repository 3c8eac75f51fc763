// One task, from the claim to what became of it.
//
//   finish "done"           committed, judged, merged: completed
//   finish "no_changes"     completed as it is, when the target passes the checks
//   done, and not taken     back on the list with its commit, which whoever comes next brings in first, or
//                           finds in the target
//   the gate refuses        told to the agent in the same conversation, so many times; then a failure
//   a conflict              the agent resolves it in the same conversation, once; then it is parked
//   a question, or an end   on hold with the question, or with what was said last: nothing that
//   without finish          only asked is ever completed
//   a usage limit           waits, and goes on in the same conversation
//   a crash, silence, time  a failure: back on the list, counted
//   the end of the worker   back on the list, not counted

import { setTimeout as wait } from "node:timers/promises";
import { CONTINUE } from "../../agent/usage-limit.ts";
import { messageOf, SagaError, messageWithHint, type ErrorCode } from "../../errors.ts";
import { accept } from "../result/merge-task.ts";
import { acceptAsIs } from "../result/accept-as-is.ts";
import { checksOf } from "../result/arrival.ts";
import { contextFor, readContextFile, type TaskContext } from "../list/context-file.ts";
import { finishedAndArrived, finishedCommit, takeUpFinished } from "../result/finished-work.ts";
import { judgeFinish } from "./judge-finish.ts";
import { newTaskTimeBudget } from "./time-budget.ts";
import type { Finish } from "./tools.ts";
import { poolPrompt } from "./prompt.ts";
import { busyTarget } from "./target-ready.ts";
import { runTaskAgent, type TaskAgentResult } from "./run-agent.ts";
import { cannotGoOn, endOf, failed, STOPPED, type Returned, type TaskEnd } from "./outcome.ts";
import { keepWork, prepareTaskWork } from "./prepare-worktree.ts";
import type { TaskGateResult } from "../result/gate.ts";
import type { PreparedTaskWork, TaskWork } from "./context.ts";

export async function runTask(work: TaskWork): Promise<TaskEnd> {
  const context = readContext(work);
  if ("kind" in context) return context;
  const found = await place(work);
  if ("kind" in found) return found;
  const arrived = await finishedAndArrived(found);
  if (arrived !== undefined && (await passesAsIs(found))) return mergedAs(found, arrived);
  const earlier = await takeUpFinished(found);
  const early = earlier && (await deliverFinished(earlier));
  if (early?.kind === "completed") return early;
  // What was tried there is kept like anything that is found.
  const placed = earlier && early === undefined ? await place(work) : (earlier ?? found);
  if ("kind" in placed) return placed;
  const end =
    early ??
    (await workOn(placed, context).catch((error: unknown): TaskEnd => failedBy(work, error)));
  // What is merged is merged. The rest must survive the next task in this worktree.
  if (end.kind !== "completed") await keepWork(placed, `the task ${work.task.id} was not merged`);
  return end;
}

/** Work that a person merged by hand, or whose receipt is lost, counts when the target passes the task's checks. */
async function passesAsIs(work: PreparedTaskWork): Promise<boolean> {
  const accepted = await acceptSteadily(work, { outcome: "no_changes", summary: "" });
  return accepted.kind === "as-is";
}

const PLACE_PAUSE_MS = 5_000;
/** A target that is not there, what no worktree may be given. */
const WRONG_SETTINGS: ReadonlySet<ErrorCode> = new Set(["bad-setting", "not-found"]);

/** A remote that does not answer is tried once more; then no other task would fare better. */
async function place(work: TaskWork): Promise<PreparedTaskWork | Returned> {
  const { record, worker } = work;
  for (let attempt = 1; ; attempt++) {
    try {
      return await record.step(
        "worktree",
        () => prepareTaskWork(work),
        ({ base }) => `on ${base.branch}`,
      );
    } catch (error) {
      if (worker.stop.aborted) return STOPPED;
      const message = `There is no place to work in: ${messageWithHint(error)}`;
      record.warn(message);
      const needsPerson = error instanceof SagaError && WRONG_SETTINGS.has(error.code);
      if (attempt > 1 || needsPerson) return cannotGoOn({ kind: "crashed", message, needsPerson });
      await wait(PLACE_PAUSE_MS, undefined, { signal: worker.stop }).catch(() => undefined);
    }
  }
}

/** Read for each task: it may be edited while the pool runs. */
function readContext({ worker, task }: TaskWork): TaskContext | Returned {
  try {
    return contextFor(readContextFile(worker.contextFile), task.label);
  } catch (error) {
    return cannotGoOn({ kind: "context", file: worker.contextFile, message: messageOf(error) });
  }
}

/** Targets that others move all the time: more rounds than these are left to a later attempt. */
const MAX_MOVES = 3;

async function workOn(work: PreparedTaskWork, context: TaskContext): Promise<TaskEnd> {
  const { worker } = work;
  const patience = newTaskTimeBudget(work);
  let prompt = promptOf(work, context);
  let resume: string | undefined;
  let fixRounds = 0;
  let conflicts = 0;
  for (;;) {
    if (worker.stop.aborted) return STOPPED;
    const usageLimit = await patience.waitForUsageLimit();
    if (usageLimit) return usageLimit;
    worker.say({ state: "working" });
    const whyNotFinished = (finish: Finish): Promise<string | undefined> =>
      judgeFinish(work, finish);
    const deadlineMs = patience.deadlineMs();
    const turn = await runTaskAgent(work, { prompt, resume, deadlineMs, whyNotFinished });
    if (resume !== undefined && isConversationLost(turn)) {
      // The worktree is as it was: whoever begins anew is told all that the other one knew.
      const begin = promptOf(work, context);
      prompt = prompt === CONTINUE ? begin : [begin, ANEW, prompt].join("\n\n");
      resume = undefined;
      continue;
    }
    resume = turn.end.conversation;
    if (turn.end.outcome.kind === "limit" && !hasSaidAll(turn)) {
      patience.recordLimit(turn.end.outcome);
      prompt = CONTINUE;
      continue;
    }
    const ended = endOf(work, turn);
    if (ended) return ended;

    const accepted = await acceptSteadily(work, turn.finish);
    switch (accepted.kind) {
      case "returned":
        return accepted;
      case "merged":
        return mergedAs(work, accepted.commit);
      case "as-is":
        return { kind: "completed", reason: turn.finish?.summary ?? "", commit: undefined };
      case "refused":
        if (++fixRounds > worker.settings.gate.fixRounds) return failed(accepted.why);
        prompt = mendPrompt(accepted.told);
        break;
      case "conflict":
        if (++conflicts > 1) return parkedBy(work, accepted.sides);
        prompt = conflictPrompt(work, accepted.sides);
        break;
      case "moved":
        return failed(accepted.why);
      case "checked-out":
        return notTaken(work, accepted);
      case "stopped":
        return { ...STOPPED, finished: await finishedCommit(work) };
    }
    if (resume === undefined) return failed("The conversation cannot be gone on with.");
  }
}

/** By an earlier run. Nothing when it is not what the target needs any more: then it is done anew. */
async function deliverFinished(work: PreparedTaskWork): Promise<TaskEnd | undefined> {
  const { record, task } = work;
  const accepted = await acceptSteadily(work);
  switch (accepted.kind) {
    case "merged":
      return mergedAs(work, accepted.commit);
    case "returned":
      return accepted;
    case "checked-out":
      return notTaken(work, accepted);
    case "stopped":
      return { ...STOPPED, finished: task.finished };
    case "moved":
      return { kind: "returned", reason: accepted.why, finished: task.finished };
    case "as-is":
    case "refused":
    case "conflict":
      record.warn(
        "What an earlier run had finished is not accepted as it is: the task is done anew.",
      );
      return undefined;
  }
}

const mergedAs = ({ target }: PreparedTaskWork, commit: string): TaskEnd => ({
  kind: "completed",
  reason: `Merged into ${target.branch} as ${commit.slice(0, 12)}.`,
  commit,
});

/** Nothing is wrong with work that others were faster than: it is put together once more. */
async function acceptSteadily(
  work: PreparedTaskWork,
  finish?: Finish,
): Promise<TaskGateResult | Returned> {
  const { record, worker, target, task } = work;
  const how = finish?.outcome === "no_changes" ? acceptAsIs : accept;
  const attempt = async (): Promise<TaskGateResult | Returned> => {
    // What nobody wants any more is not merged.
    await work.lookAtClaim();
    if (worker.stop.aborted) return STOPPED;
    for (let moves = 1; ; moves++) {
      const accepted = await record.step(
        "accept",
        () => how(work),
        ({ kind }) => kind,
      );
      if (accepted.kind !== "moved" || moves === MAX_MOVES) return accepted;
    }
  };
  worker.say({ state: "accepting" });
  try {
    // Every step can be repeated, and a git that was killed once need not stop the pool.
    return await attempt().catch((error: unknown) => {
      if (worker.stop.aborted) throw error;
      record.warn(`Trying again: ${messageOf(error)}`);
      return attempt();
    });
  } catch (error) {
    const finished = await finishedCommit(work).catch(() => undefined);
    if (worker.stop.aborted) return { ...STOPPED, finished };
    // A remote that takes nothing would take no other task's work either.
    const message = `The work on task ${task.id} is done, and could not be brought into ${target.branch}: ${messageWithHint(error)}`;
    const problem = { kind: "write-failed", taskId: task.id, message, needsPerson: true } as const;
    return { ...cannotGoOn(problem), finished };
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

const hasSaidAll = ({ finish, question }: TaskAgentResult): boolean =>
  finish !== undefined || question !== undefined;

const isConversationLost = ({ end: { outcome } }: TaskAgentResult): boolean =>
  outcome.kind === "crashed" && outcome.isConversationLost === true;

const ANEW = "The work was begun already; what there is of it is in the worktree.";

const mendPrompt = (told: string): string =>
  [
    told,
    "Mend the cause. Do not weaken a check, and do not touch what is protected. Then call finish again.",
  ].join("\n\n");

const conflictPrompt = ({ target }: PreparedTaskWork, sides: string): string =>
  [
    `${target.branch} has moved on since you began, and both of you changed the same places. The merge is in progress in this worktree: the files below hold both sides between conflict marks.`,
    sides,
    "Keep what both sides want. Edit each file until no mark is left. Do not commit, do not abort the merge, and do not take one side blindly. Then call finish again.",
  ].join("\n\n");

const parkedBy = ({ target, branch }: PreparedTaskWork, sides: string): TaskEnd => ({
  kind: "held",
  as: "parked",
  reason: `${branch} conflicts with ${target.branch} again, after its agent has resolved it once:\n${sides}`,
});

async function notTaken(
  work: PreparedTaskWork,
  checkout: Extract<TaskGateResult, { kind: "checked-out" }>,
): Promise<TaskEnd> {
  const { target, record, task } = work;
  const begin = `The work on task ${task.id} is done, and ${target.branch} cannot be moved to it`;
  const problem = { ...busyTarget(begin, checkout), taskId: task.id };
  record.warn(problem.message);
  return { ...cannotGoOn(problem), finished: await finishedCommit(work) };
}

function failedBy({ worker }: TaskWork, error: unknown): TaskEnd {
  return worker.stop.aborted ? STOPPED : failed(messageWithHint(error));
}

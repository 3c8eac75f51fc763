// Returns a task to the list: one that was held for a person, failed too often, or whose worker died. A task that a
// worker is working on is only released with --force.

import { randomBytes } from "node:crypto";
import { recoverClaim } from "../../tasks/claims/dead-claims.ts";
import type { TaskChange } from "../../tasks/claims/claim.ts";
import { openClaimer } from "../../store/claims/claimer.ts";
import { rewriteTask } from "../../claude/tasks/list.ts";
import { SagaError } from "../../errors.ts";
import { isWorkerName } from "../../tasks/daemon-files.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { poolTaskOf, type PoolTask } from "../../tasks/task.ts";
import type { Arrival } from "../result/merged-task.ts";
import { brokenTask, lastClaim, requireOpen, requireTask } from "./require-task.ts";
import { mark } from "./task-marks.ts";

export interface Release {
  /** A person's answer to the question that the task is held for. */
  readonly answer: string | undefined;
  /** Also if a worker is working on it. */
  readonly isForced: boolean;
  /** Finds work of a dead worker that is already merged. */
  readonly findArrival: (task: ClaudeCodeTask) => Promise<Arrival | undefined>;
}

export type ReleaseResult =
  | { readonly kind: "released"; readonly from: string | undefined }
  /** Its worker died after it had merged the work. */
  | { readonly kind: "completed"; readonly commit: string }
  /** It was not held or claimed. */
  | { readonly kind: "nothing" };

const TTL_MS = 60_000;

export async function releaseTask(
  list: string,
  taskId: string,
  release: Release,
): Promise<ReleaseResult> {
  const task = await requireTask(list, taskId);
  const { task: pool, problem } = poolTaskOf(task, 0);
  if (pool === undefined) throw brokenTask(taskId, problem);
  requireOpen(task);
  const change = releaseChange(pool, release.answer);
  if (task.status === "in_progress") return takeBack(list, task, change, release);
  if (pool.owner !== undefined && !release.isForced) throw inProgressError(taskId, pool.owner);
  if (change === undefined && pool.owner === undefined) return { kind: "nothing" };
  const { written } = await rewriteTask(
    list,
    taskId,
    (file) =>
      file.kind === "task" && file.task.status === "pending" && file.task.owner === task.owner
        ? withoutOwner((change ?? unchanged)(file.task))
        : undefined,
    { isDurable: true },
  );
  if (!written) throw hasChanged(taskId);
  return { kind: "released", from: pool.owner };
}

/** Undefined if the task has no hold and no failed attempts. An answer needs a question. */
export function releaseChange(
  pool: Pick<PoolTask, "id" | "held" | "attempts" | "answers">,
  answer: string | undefined,
): TaskChange | undefined {
  if (answer !== undefined && pool.held === undefined) {
    throw new SagaError("not-ready", `Task ${pool.id} has no open question.`, {
      hint: `Change its description instead: \`saga task edit ${pool.id} --description "…"\`.`,
    });
  }
  if (pool.held === undefined && pool.attempts === 0) return undefined;
  const question = pool.held?.why ?? "";
  const answers = answer === undefined ? pool.answers : [...pool.answers, { question, answer }];
  return mark({
    held: undefined,
    attempts: undefined,
    answers: answers.length === 0 ? undefined : answers,
  });
}

async function takeBack(
  list: string,
  task: ClaudeCodeTask,
  change: TaskChange = unchanged,
  { isForced, findArrival }: Release,
): Promise<ReleaseResult> {
  const { id, owner = "" } = task;
  const last = await lastClaim(list, id);
  const isDead = last === undefined ? isWorkerName(owner) : last.life === "dead";
  if (!isDead && !isForced) throw inProgressError(id, last?.record.owner ?? owner);
  const instance = randomBytes(4).toString("hex");
  const claimer = openClaimer(list, { owner: "release", instance, ttlMs: TTL_MS });
  let arrival: Arrival | undefined;
  try {
    const decide = async (): Promise<TaskChange> => {
      arrival = await findArrival(task);
      if (arrival === undefined) return change;
      const { commit, isProven } = arrival;
      if (!isProven) return (now) => mark({ finished: commit })(change(now));
      return (now) => ({ ...mark({ lastFailure: undefined })(now), status: "completed" });
    };
    const dead = { taskId: id, task, last };
    const done = await recoverClaim(list, claimer, dead, decide, { isForced });
    if (done === "lost") throw hasChanged(id);
  } finally {
    claimer.close();
  }
  return arrival?.isProven
    ? { kind: "completed", commit: arrival.commit }
    : { kind: "released", from: owner };
}

const unchanged: TaskChange = (task) => task;

const withoutOwner: TaskChange = (task) => {
  const { owner: _, ...rest } = task;
  return rest;
};

const inProgressError = (taskId: string, owner: string): SagaError =>
  new SagaError("in-use", `Task ${taskId} is in progress${owner ? ` (${owner})` : ""}.`, {
    hint: "Wait for it, or stop the pool with `saga auto stop`; --force releases it anyway.",
  });

const hasChanged = (taskId: string): SagaError =>
  new SagaError("in-use", `Task ${taskId} was changed at the same time.`, {
    hint: "Check it with `saga task show`, and try again.",
  });

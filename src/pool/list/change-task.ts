// A person's changes to a task of the pool: edit, complete, remove. Under Claude's lock, and never while a worker has
// claimed the task.

import { deleteTask } from "../../claude/tasks/delete.ts";
import { readTaskList, rewriteTask, updateTask } from "../../claude/tasks/list.ts";
import { SagaError } from "../../errors.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { findCycles } from "../../story/definition/graph.ts";
import {
  lastClaim,
  requireOpen,
  requireReadable,
  requireTask,
  taskNotFound,
  withBlocks,
  withoutBlocks,
} from "./require-task.ts";
import { mark } from "./task-marks.ts";

export interface TaskEdit {
  readonly subject?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
  /** An empty label removes it. */
  readonly label?: string | undefined;
  readonly checks?: readonly string[] | undefined;
  readonly blockedBy?: readonly string[] | undefined;
}

export async function editTask(list: string, id: string, edit: TaskEdit): Promise<ClaudeCodeTask> {
  const before = await requireFree(list, id);
  requireOpen(before);
  const blockedBy = edit.blockedBy && [...new Set(edit.blockedBy)];
  if (blockedBy) await requireNoCycle(list, id, blockedBy);
  const written = await change(list, id, (task) => edited(task, { ...edit, blockedBy }));
  if (blockedBy) {
    const { blockedBy: old } = before;
    for (const other of blockedBy) await updateTask(list, other, withBlocks(id));
    for (const other of old.filter((one) => !blockedBy.includes(one))) {
      await updateTask(list, other, withoutBlocks(id));
    }
  }
  return written;
}

/** A person did the task, or says that nothing is left to do. */
export async function completeTask(list: string, id: string, who: string): Promise<ClaudeCodeTask> {
  requireOpen(await requireFree(list, id));
  return change(list, id, (task) => {
    const { owner: _, ...rest } = mark({ held: undefined, attempts: undefined })(task);
    const saga = { ...(rest.metadata?.["saga"] as object | undefined), completedBy: who };
    return { ...rest, status: "completed", metadata: { ...rest.metadata, saga } };
  });
}

export interface RemovedTask {
  /** The task as it was. */
  readonly task: ClaudeCodeTask | undefined;
  /** Tasks that no longer wait for it. */
  readonly dependants: readonly string[];
}

/** `keep` saves a copy before the task is deleted. */
export async function removeTask(
  list: string,
  id: string,
  { isForced, keep }: { readonly isForced: boolean; readonly keep: (task: ClaudeCodeTask) => void },
): Promise<RemovedTask> {
  await requireFree(list, id);
  const dependants = (await readTaskList(list))
    .filter(({ blockedBy, status }) => status !== "completed" && blockedBy.includes(id))
    .map((task) => task.id);
  if (dependants.length > 0 && !isForced) {
    throw new SagaError("in-use", `Other tasks wait for ${id}: ${dependants.join(", ")}.`, {
      hint: "Remove what is named above first, or add --force: their dependency on it is then removed.",
    });
  }
  let task: ClaudeCodeTask | undefined;
  await deleteTask(list, id, async (file) => {
    task = requireReadable(id, file);
    await requireUnclaimed(list, task);
    keep(task);
  });
  return { task, dependants };
}

async function change(
  list: string,
  id: string,
  decide: (task: ClaudeCodeTask) => ClaudeCodeTask,
): Promise<ClaudeCodeTask> {
  const { written } = await rewriteTask(
    list,
    id,
    async (file) => {
      const task = requireReadable(id, file);
      await requireUnclaimed(list, task);
      return decide(task);
    },
    { isDurable: true },
  );
  if (written) return written;
  throw taskNotFound(id);
}

async function requireFree(list: string, id: string): Promise<ClaudeCodeTask> {
  const task = await requireTask(list, id);
  await requireUnclaimed(list, task);
  return task;
}

/** Checks the task and the claims. */
async function requireUnclaimed(
  list: string,
  { id, status, owner }: ClaudeCodeTask,
): Promise<void> {
  const last = await lastClaim(list, id);
  if (last?.life !== "alive" && status !== "in_progress" && !owner) return;
  const who = last?.record.owner ?? owner;
  throw new SagaError("in-use", `Task ${id} is claimed${who ? ` by ${who}` : ""}.`, {
    hint: `Wait until it is done, or release it first: \`saga task release ${id} --force\`.`,
  });
}

async function requireNoCycle(
  list: string,
  id: string,
  blockedBy: readonly string[],
): Promise<void> {
  const tasks = await readTaskList(list);
  const missing = blockedBy.find((other) => !tasks.some((task) => task.id === other));
  if (missing !== undefined) throw taskNotFound(missing);
  const links = tasks.map((task) => ({
    id: task.id,
    blockedBy: task.id === id ? blockedBy : task.blockedBy,
    isDone: task.status === "completed",
  }));
  const cycle = findCycles(links).find((one) => one.includes(id));
  if (cycle === undefined) return;
  const circle = [...cycle, cycle[0]].join(" → ");
  throw new SagaError("usage", `These tasks would wait for each other: ${circle}.`, {
    hint: "Leave one of them out of --blocked-by.",
  });
}

export function edited(task: ClaudeCodeTask, edit: TaskEdit): ClaudeCodeTask {
  const { subject, description, blockedBy, ...more } = edit;
  const metadata = Object.fromEntries(
    Object.entries({ ...task.metadata, ...onlyDefined(more) }).filter(([, value]) => value !== ""),
  );
  const { metadata: _, ...rest } = task;
  return {
    ...rest,
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description }),
    ...(blockedBy && { blockedBy: [...blockedBy] }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

const onlyDefined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

// Finds a task on the pool's list, or throws an error that says why it cannot; and links tasks that wait for each other.

import { readClaim, type ClaimState } from "../../store/claims/claims.ts";
import { newClaimObserver } from "../../store/claims/claim-observer.ts";
import { isPlainName, readTaskFile, type TaskFile } from "../../claude/tasks/file.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { SagaError } from "../../errors.ts";

export const requireTask = async (list: string, id: string): Promise<ClaudeCodeTask> =>
  requireReadable(id, isPlainName(id) ? await readTaskFile(list, id) : { kind: "gone" });

export function requireReadable(id: string, file: TaskFile): ClaudeCodeTask {
  if (file.kind === "task") return file.task;
  throw file.kind === "gone" ? taskNotFound(id) : brokenTask(id, file.message);
}

export const brokenTask = (id: string, why: string): SagaError =>
  new SagaError("bad-file", `Task ${id} cannot be read: ${why}`, {
    hint: "Fix its file by hand, or let `saga auto --oversee` repair it.",
  });

export const taskNotFound = (id: string): SagaError =>
  new SagaError("not-found", `There is no task ${JSON.stringify(id)} on the list.`, {
    hint: "`saga task list` shows the tasks of the list; `saga show <story>` those of a story.",
  });

export function requireOpen({ id, status }: ClaudeCodeTask): void {
  if (status !== "completed") return;
  throw new SagaError("not-ready", `Task ${id} is completed.`, {
    hint: "Add a new task for the remaining work: `saga task add`.",
  });
}

/** The last claim on a task. A claim exists before it is written into the task. */
export const lastClaim = (list: string, taskId: string): Promise<ClaimState | undefined> =>
  readClaim(list, taskId, newClaimObserver());

/** Claude writes a dependency on both sides. */
export const withBlocks =
  (id: string) =>
  (task: ClaudeCodeTask): ClaudeCodeTask => ({
    ...task,
    blocks: [...new Set([...task.blocks, id])],
  });

export const withoutBlocks =
  (id: string) =>
  (task: ClaudeCodeTask): ClaudeCodeTask => ({
    ...task,
    blocks: task.blocks.filter((one) => one !== id),
  });

// What a call of Claude's Task tools changed, read from the tool's result: its input only says what was requested.

import { idProblem } from "../../story/definition/names.ts";
import { isStatus, type Status } from "../../story/definition/status.ts";
import type { StatusChange } from "../../agent/agent.ts";
import type { ScopeVerdict } from "../../agent/scope/scope.ts";

/** Undefined for other tools, refused changes, Claude's own numbered tasks, and deletions. */
export function statusChange(tool: string, response: unknown): StatusChange | undefined {
  if (tool !== "TaskUpdate") return undefined;
  const taskId = field(response, "taskId");
  const to = field(field(response, "statusChange"), "to");
  if (field(response, "success") !== true || typeof taskId !== "string") return undefined;
  return isStatus(to) && idProblem("task", taskId) === undefined ? { taskId, to } : undefined;
}

/** The id of the task that TaskCreate has added; undefined for other tools and for what it refused. */
export function createdTask(tool: string, response: unknown): string | undefined {
  const id = tool === "TaskCreate" ? field(field(response, "task"), "id") : undefined;
  return typeof id === "string" ? id : undefined;
}

/** The value may be anything. A hook script uses this too: no schema, no package. */
const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

/** A story's tasks are never deleted, and what is completed stays completed. */
export function judgeTaskUpdate(
  input: unknown,
  statusOf: (taskId: string) => Status | undefined,
): ScopeVerdict {
  const taskId = field(input, "taskId");
  const status = field(input, "status");
  const before = typeof taskId === "string" ? statusOf(taskId) : undefined;
  if (typeof taskId !== "string" || before === undefined) return { isAllowed: true };
  if (status === "deleted") {
    return refusal(
      `The task ${taskId} belongs to the story and cannot be deleted. If it cannot be done, say why with report_blocker.`,
    );
  }
  if (before === "completed" && status !== undefined && status !== "completed") {
    return refusal(
      `The task ${taskId} is completed and committed. Fix what is wrong with it as part of the next task, and record that with the journal tool.`,
    );
  }
  return { isAllowed: true };
}

const refusal = (reason: string): ScopeVerdict => ({ isAllowed: false, reason });

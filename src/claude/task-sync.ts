// What a call of Claude's Task tools has really changed, read from the tool's result: its input only
// says what was asked for.

import * as z from "zod";
import { STATUSES, type Status } from "../story/fields.ts";
import { idFault } from "../story/names.ts";
import type { Verdict } from "./scope.ts";

export interface StatusChange {
  readonly taskId: string;
  readonly to: Status;
}

const updateResult = z.object({
  success: z.literal(true),
  taskId: z.string(),
  statusChange: z.object({ to: z.string() }),
});

/** Nothing for other tools, refused changes, Claude's own numbered tasks, and deletions. */
export function statusChange(tool: string, response: unknown): StatusChange | undefined {
  if (tool !== "TaskUpdate") return undefined;
  const result = updateResult.safeParse(response).data;
  const to = STATUSES.find((status) => status === result?.statusChange.to);
  if (!result || to === undefined) return undefined;
  return idFault("task", result.taskId) === undefined ? { taskId: result.taskId, to } : undefined;
}

const updateInput = z.object({ taskId: z.string(), status: z.string().optional() });

/** A story's tasks are never deleted, and what is completed stays completed. */
export function judgeTaskUpdate(
  input: unknown,
  statusOf: (taskId: string) => Status | undefined,
): Verdict {
  const update = updateInput.safeParse(input).data;
  const before = update && statusOf(update.taskId);
  if (!update || before === undefined) return { isAllowed: true };
  if (update.status === "deleted") {
    return refusal(
      `The task ${update.taskId} belongs to the story and cannot be deleted. If it cannot be done, say why with report_blocker.`,
    );
  }
  if (before === "completed" && update.status !== undefined && update.status !== "completed") {
    return refusal(
      `The task ${update.taskId} is completed and committed. Mend what is wrong with it as part of the next task, and note it with journal.`,
    );
  }
  return { isAllowed: true };
}

const refusal = (reason: string): Verdict => ({ isAllowed: false, reason });

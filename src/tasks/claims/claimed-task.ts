// The fields of a task during and after a claim. Pure; other fields stay as they are.

import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";

/** `createdAtMs`: the creation time of its file, if it must be recorded. */
export const asClaimed = (
  task: ClaudeCodeTask,
  owner: string,
  createdAtMs: number | undefined,
): ClaudeCodeTask => ({ ...withCreation(task, createdAtMs), status: "in_progress", owner });

/** A replaced file loses its creation time, which orders tasks without a number. */
function withCreation(task: ClaudeCodeTask, createdAtMs: number | undefined): ClaudeCodeTask {
  const saga = sagaPart(task);
  if (createdAtMs === undefined || "createdAt" in saga) return task;
  const createdAt = new Date(createdAtMs).toISOString();
  return { ...task, metadata: { ...task.metadata, saga: { ...saga, createdAt } } };
}

/** Without an owner, and without the run that worked on it. */
export function asReleased(task: ClaudeCodeTask, status: "pending" | "completed"): ClaudeCodeTask {
  const { owner: _, metadata, ...rest } = task;
  if (!metadata || !("saga" in metadata)) {
    return { ...rest, ...(metadata && { metadata }), status };
  }
  const { saga: __, ...others } = metadata;
  const { run: ___, ...saga } = sagaPart(task);
  const after = { ...others, ...(Object.keys(saga).length > 0 && { saga }) };
  return { ...rest, ...(Object.keys(after).length > 0 && { metadata: after }), status };
}

export const isHeldForPerson = (task: ClaudeCodeTask): boolean => Boolean(sagaPart(task)["held"]);

function sagaPart({ metadata }: ClaudeCodeTask): Record<string, unknown> {
  const saga = metadata?.["saga"];
  return typeof saga === "object" && saga !== null ? { ...saga } : {};
}

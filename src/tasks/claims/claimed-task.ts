// How a task looks while it is claimed, and after. Pure: whatever else it says stays as it is.

import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";

/** Taken by that one. `createdAtMs` is when its file was made, where that has to be kept. */
export const asClaimed = (
  task: ClaudeCodeTask,
  owner: string,
  createdAtMs: number | undefined,
): ClaudeCodeTask => ({ ...withCreation(task, createdAtMs), status: "in_progress", owner });

/** The file's own age is lost when it is replaced, and by it those are put in order that have no number. */
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
  const kept = { ...others, ...(Object.keys(saga).length > 0 && { saga }) };
  return { ...rest, ...(Object.keys(kept).length > 0 && { metadata: kept }), status };
}

export const isHeldForPerson = (task: ClaudeCodeTask): boolean => Boolean(sagaPart(task)["held"]);

function sagaPart({ metadata }: ClaudeCodeTask): Record<string, unknown> {
  const saga = metadata?.["saga"];
  return typeof saga === "object" && saga !== null ? { ...saga } : {};
}

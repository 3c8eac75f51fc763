// Adds a task to the list as Claude's TaskCreate does, with the metadata that the pool needs.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { requireOwned } from "../../tasks/list-owner.ts";
import type { ListLocation } from "../../tasks/location.ts";
import { createTask, updateTask } from "../../claude/tasks/list.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { requireTask, taskNotFound, withBlocks, withoutBlocks } from "./require-task.ts";

export interface NewPoolTask {
  readonly subject: string;
  readonly description: string;
  readonly priority?: number | undefined;
  readonly label?: string | undefined;
  readonly checks?: readonly string[] | undefined;
  readonly blockedBy: readonly string[];
}

/** All tasks that it waits for must exist. Dependencies are written on both sides, as Claude does. */
export async function addTask(
  place: ListLocation & { readonly project: string },
  fields: NewPoolTask,
): Promise<ClaudeCodeTask> {
  const { list, project } = place;
  const blockedBy = [...new Set(fields.blockedBy)];
  for (const id of blockedBy) await requireTask(list, id);
  const metadata = metadataOf(fields);
  // As late as possible: a refused command changes nothing.
  requireOwned(place, project);
  const task = await createTask(list, {
    subject: fields.subject,
    description: fields.description,
    blockedBy,
    ...(metadata && { metadata }),
  });
  const linked: string[] = [];
  try {
    for (const id of blockedBy) {
      const exists = await updateTask(list, id, withBlocks(task.id));
      if (!exists) throw taskNotFound(id);
      linked.push(id);
    }
  } catch (error) {
    // No worker can have claimed it: it still waits for other tasks.
    rmSync(join(list, `${task.id}.json`), { force: true });
    for (const id of linked) await updateTask(list, id, withoutBlocks(task.id));
    throw error;
  }
  return task;
}

/** Only what was given: Claude Code does not see a task with an empty field. */
export function metadataOf({
  priority,
  label,
  checks,
}: Pick<NewPoolTask, "priority" | "label" | "checks">): Record<string, unknown> | undefined {
  const given = Object.entries({ priority, label, checks }).filter(
    ([, value]) => value !== undefined,
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

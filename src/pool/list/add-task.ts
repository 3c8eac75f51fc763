// A new task on the list, as Claude's own TaskCreate makes one, with what the pool needs besides.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { requireOwned } from "../../tasks/list-owner.ts";
import type { ListLocation } from "../../tasks/location.ts";
import { readTaskFile } from "../../claude/tasks/file.ts";
import { createTask, updateTask } from "../../claude/tasks/list.ts";
import { SagaError } from "../../errors.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";

export interface TaskWish {
  readonly subject: string;
  readonly description: string;
  readonly priority?: number | undefined;
  readonly label?: string | undefined;
  readonly checks?: readonly string[] | undefined;
  readonly blockedBy: readonly string[];
}

/** All that it waits for must be there. Dependencies are written on both sides, as Claude does it. */
export async function addTask(
  place: ListLocation & { readonly project: string },
  wish: TaskWish,
): Promise<ClaudeCodeTask> {
  const { list, project } = place;
  const blockedBy = [...new Set(wish.blockedBy)];
  for (const id of blockedBy) await requireTask(list, id);
  const metadata = Object.fromEntries(
    Object.entries({ priority: wish.priority, label: wish.label, checks: wish.checks }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  // As late as possible: a refused command changes nothing.
  requireOwned(place, project);
  const task = await createTask(list, {
    subject: wish.subject,
    description: wish.description,
    blockedBy,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  });
  const told: string[] = [];
  try {
    for (const id of blockedBy) {
      const isThere = await updateTask(list, id, withBlocks(task.id));
      if (!isThere) throw notThere(id);
      told.push(id);
    }
  } catch (error) {
    // Nobody can have begun with it: what it waits for is gone, or held by someone.
    rmSync(join(list, `${task.id}.json`), { force: true });
    for (const id of told) await updateTask(list, id, withoutBlocks(task.id));
    throw error;
  }
  return task;
}

async function requireTask(list: string, id: string): Promise<void> {
  const file = await readTaskFile(list, id);
  if (file.kind === "task") return;
  if (file.kind === "gone") throw notThere(id);
  throw new SagaError("bad-file", file.message, { hint: "`saga task list` shows what is broken." });
}

const notThere = (id: string): SagaError =>
  new SagaError("not-found", `There is no task ${id} to wait for.`, {
    hint: "`saga task list` shows the tasks.",
  });

const withBlocks =
  (id: string) =>
  (task: ClaudeCodeTask): ClaudeCodeTask => ({
    ...task,
    blocks: [...new Set([...task.blocks, id])],
  });

const withoutBlocks =
  (id: string) =>
  (task: ClaudeCodeTask): ClaudeCodeTask => ({
    ...task,
    blocks: task.blocks.filter((one) => one !== id),
  });

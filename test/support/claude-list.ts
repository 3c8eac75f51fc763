// Claude's task lists for tests, in folders of their own.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTaskList } from "../../src/claude/tasks/list.ts";
import type { ClaudeCodeTask } from "../../src/claude/tasks/format.ts";
import { poolTaskOf, type PoolTask } from "../../src/tasks/task.ts";
import { newFolder } from "./project.ts";

export const claudeTask = (id: string, more: Partial<ClaudeCodeTask> = {}): ClaudeCodeTask => ({
  id,
  subject: `Do ${id}`,
  description: `How to do ${id}.`,
  status: "pending",
  blocks: [],
  blockedBy: [],
  ...more,
});

export const begin = (task: ClaudeCodeTask): ClaudeCodeTask => ({ ...task, status: "in_progress" });

/** As the pool reads it. */
export function poolTask(id: string, more: Partial<ClaudeCodeTask> = {}): PoolTask {
  const read = poolTaskOf(claudeTask(id, more), 0);
  if (!read.task) throw new Error(read.problem);
  return read.task;
}

export function newList(...tasks: ClaudeCodeTask[]): string {
  const folder = join(newFolder().path, "tasks", "saga__x");
  createTaskList(folder, tasks);
  return folder;
}

export const taskIn = (list: string, id: string): ClaudeCodeTask =>
  JSON.parse(readFileSync(join(list, `${id}.json`), "utf8")) as ClaudeCodeTask;

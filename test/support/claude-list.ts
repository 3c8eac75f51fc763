// Task lists of Claude's for tests, in folders of their own.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTaskList } from "../../src/claude/task-list.ts";
import type { ClaudeCodeTask } from "../../src/story/claude-task.ts";
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

export function newList(...tasks: ClaudeCodeTask[]): string {
  const folder = join(newFolder().path, "tasks", "pool");
  createTaskList(folder, tasks);
  return folder;
}

export const taskIn = (list: string, id: string): ClaudeCodeTask =>
  JSON.parse(readFileSync(join(list, `${id}.json`), "utf8")) as ClaudeCodeTask;

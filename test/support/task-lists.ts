// Task lists of Claude Code on a disk of their own.

import { join } from "node:path";
import { newFolder } from "./project.ts";
import type { ClaudeCodeTask } from "../../src/story/claude-task.ts";
import { createTaskList } from "../../src/claude/task-list.ts";

export const begin = (one: ClaudeCodeTask): ClaudeCodeTask => ({ ...one, status: "in_progress" });

/** A list of its own, in a folder of its own. */
export function newList(...tasks: ClaudeCodeTask[]): string {
  const folder = join(newFolder().path, "tasks", "saga__x");
  createTaskList(folder, tasks);
  return folder;
}

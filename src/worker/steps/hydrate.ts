// Step 4: writes the story's tasks as a task list of Claude Code, all of them or none. Completions that an
// earlier worker could not write into the story are recovered before.

import { existsSync } from "node:fs";
import {
  createTaskList,
  readTaskList,
  removeTaskList,
  taskListFolder,
} from "../../claude/tasks/list.ts";
import { storyTaskList } from "../../story/definition/names.ts";
import type { Status } from "../../story/definition/status.ts";
import type { Run, RunEvent } from "../../story/state/run.ts";
import { toClaudeTasks } from "../../claude/tasks/format.ts";
import type { PreparedWork } from "../context.ts";

export interface TaskList {
  readonly id: string;
  readonly folder: string;
}

/** Holds the current list: a split replaces it. */
export interface Lists {
  current: TaskList;
}

export async function hydrate(work: PreparedWork): Promise<TaskList> {
  const { story, context, request, record } = work;
  for (const task of story.tasks()) {
    // The agent that worked on it has ended.
    if (task.status === "in_progress") await story.setStatus(task.id, "pending");
  }
  const id = storyTaskList(request.storyId, context.now());
  const folder = taskListFolder(context.env, id);
  // Recorded first, so that the next worker finds the list after a crash.
  record.update({ taskList: id });
  createTaskList(folder, toClaudeTasks(story.tasks()));
  return { id, folder };
}

/**
 * Completions that an earlier worker allowed and Claude wrote into its list, but that are not in the story's
 * files because the worker was killed. Its list still exists then. Returns their ids.
 */
export async function recoverCompletions(
  work: PreparedWork,
  runs: readonly Run[],
): Promise<readonly string[]> {
  const { context, story, request } = work;
  const recovered: string[] = [];
  for (const run of runs) {
    if (run.taskList === undefined) continue;
    const folder = taskListFolder(context.env, run.taskList);
    if (!existsSync(folder)) {
      // At most an unfinished list is left.
      removeTaskList(folder);
      continue;
    }
    const { events } = await context.store.readEvents(request.storyId, run.id);
    const completed = lostCompletions(await readTaskList(folder), events, story.status);
    for (const id of completed) await story.setStatus(id, "completed");
    recovered.push(...completed);
    removeTaskList(folder);
  }
  return recovered;
}

/** Completed in the list, allowed in the run's events, and still open in the story. */
export function lostCompletions(
  listed: readonly { readonly id: string; readonly status: string }[],
  events: readonly RunEvent[],
  statusOf: (taskId: string) => Status | undefined,
): readonly string[] {
  const allowed = new Set(
    events.flatMap((event) => (event.type === "task.passed" ? [event["task"]] : [])),
  );
  return listed
    .filter(({ id, status }) => status === "completed" && allowed.has(id))
    .map(({ id }) => id)
    .filter((id) => statusOf(id) !== undefined && statusOf(id) !== "completed");
}

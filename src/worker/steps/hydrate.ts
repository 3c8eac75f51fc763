// Step 4: the story's tasks become a task list of Claude's, all of them or none. What an earlier worker
// saw completed and could not write down any more is written down first.

import { existsSync } from "node:fs";
import {
  createTaskList,
  readTaskList,
  removeTaskList,
  taskListFolder,
} from "../../claude/tasks/list.ts";
import { storyTaskList } from "../../story/definition/names.ts";
import type { Run } from "../../story/state/run.ts";
import { toClaudeTasks } from "../../claude/tasks/format.ts";
import type { PlacedWork } from "../work.ts";

export interface TaskList {
  readonly id: string;
  readonly folder: string;
}

/** The list of the moment: after a split there is another one. */
export interface Lists {
  current: TaskList;
}

export async function hydrate(work: PlacedWork): Promise<TaskList> {
  const { board, around, order, record } = work;
  for (const task of board.tasks()) {
    if (task.status !== "in_progress") continue;
    // Whoever had it in hand is gone.
    await around.store.setTaskStatus(order.storyId, task.id, "pending");
    board.change(task.id, "pending");
    record.note({ type: "task.changed", task: task.id, to: "pending" });
  }
  const id = storyTaskList(order.storyId, around.now());
  const folder = taskListFolder(around.env, id);
  // Recorded first: whoever comes after a crash finds the list by it.
  record.update({ taskList: id });
  createTaskList(folder, toClaudeTasks(board.tasks()));
  return { id, folder };
}

/**
 * Completions that an earlier worker let pass and Claude wrote, but nobody wrote into the story: the
 * list is still there then.
 */
export async function recoverCompletions(
  work: PlacedWork,
  runs: readonly Run[],
): Promise<readonly string[]> {
  const { around, board, order, record } = work;
  const found: string[] = [];
  for (const run of runs) {
    if (run.taskList === undefined) continue;
    const folder = taskListFolder(around.env, run.taskList);
    if (!existsSync(folder)) {
      // One that was never finished, at most.
      removeTaskList(folder);
      continue;
    }
    const passed = await passedTasks(work, run);
    const listed = await readTaskList(folder);
    for (const { id, status } of listed) {
      const isNews = status === "completed" && passed.has(id);
      if (!isNews || !board.task(id) || board.status(id) === "completed") continue;
      await around.store.setTaskStatus(order.storyId, id, status);
      board.change(id, status);
      record.note({ type: "task.changed", task: id, to: status });
      found.push(id);
    }
    removeTaskList(folder);
  }
  return found;
}

async function passedTasks({ around, order }: PlacedWork, run: Run): Promise<Set<string>> {
  const { events } = await around.store.readEvents(order.storyId, run.id);
  return new Set(
    events.flatMap((event) => (event.type === "task.passed" ? [String(event["task"])] : [])),
  );
}

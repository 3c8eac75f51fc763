// The story's tasks as this worker has seen them. What counts as completed was completed when the
// worker began, or was seen to be completed by it: files and lists may say what they like.

import type { Status } from "../story/definition/status.ts";
import { waitingFor } from "../story/definition/graph.ts";
import { taskLink } from "../story/state/state.ts";
import type { Task } from "../story/definition/task.ts";

export interface TaskStates {
  readonly task: (taskId: string) => Task | undefined;
  readonly status: (taskId: string) => Status | undefined;
  readonly tasks: () => readonly Task[];
  readonly left: () => readonly Task[];
  readonly isDone: () => boolean;
  /** Tasks that come first and are not completed. */
  readonly waitsFor: (taskId: string) => readonly string[];
  readonly change: (taskId: string, to: Status) => void;
  /** The story has other tasks now: one of them was split. */
  readonly replace: (tasks: readonly Task[]) => void;
}

export function newBoard(tasks: readonly Task[]): TaskStates {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const all = (): Task[] => [...byId.values()];
  const left = (): Task[] => all().filter((task) => task.status !== "completed");
  return {
    task: (taskId) => byId.get(taskId),
    status: (taskId) => byId.get(taskId)?.status,
    tasks: all,
    left,
    isDone: () => left().length === 0,
    waitsFor: (taskId) => waitingFor(all().map(taskLink)).get(taskId) ?? [],
    change(taskId, to) {
      const task = byId.get(taskId);
      if (task) byId.set(taskId, { ...task, status: to });
    },
    replace(others) {
      byId.clear();
      for (const task of others) byId.set(task.id, task);
    },
  };
}

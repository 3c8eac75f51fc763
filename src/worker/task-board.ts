// The story's tasks as this worker knows them. A task counts as completed if it was when the worker
// started, or if the worker observed its completion, whatever files and lists say.

import type { Status } from "../story/definition/status.ts";
import { waitingFor } from "../story/definition/graph.ts";
import { taskLink } from "../story/state/state.ts";
import type { Task } from "../story/definition/task.ts";

export interface TaskStates {
  readonly task: (taskId: string) => Task | undefined;
  readonly status: (taskId: string) => Status | undefined;
  readonly tasks: () => readonly Task[];
  readonly remaining: () => readonly Task[];
  readonly isDone: () => boolean;
  /** Tasks that must be completed first and are not. */
  readonly waitsFor: (taskId: string) => readonly string[];
  readonly change: (taskId: string, to: Status) => void;
  /** Replaces all tasks: one of them was split, or people changed them. */
  readonly replace: (tasks: readonly Task[]) => void;
}

export function newBoard(tasks: readonly Task[]): TaskStates {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const all = (): Task[] => [...byId.values()];
  const remaining = (): Task[] => all().filter((task) => task.status !== "completed");
  return {
    task: (taskId) => byId.get(taskId),
    status: (taskId) => byId.get(taskId)?.status,
    tasks: all,
    remaining,
    isDone: () => remaining().length === 0,
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

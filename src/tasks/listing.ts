// A whole list in memory: its tasks, the files that are not tasks, and the board of both. Pure: the reader of the files
// adds the entries.

import type { ClaudeCodeTask } from "../claude/tasks/format.ts";
import { newTaskBoard, type TaskBoard } from "./board.ts";
import type { PoolProblem } from "./problem.ts";
import type { PoolTask } from "./task.ts";

/** A task as it is in its file and as the pool sees it, or a file that is not a task. */
export type ListEntry = TaskEntry | BrokenEntry;

export interface TaskEntry {
  readonly task: ClaudeCodeTask;
  readonly pool: PoolTask;
  readonly problem?: never;
}

export interface BrokenEntry {
  readonly problem: PoolProblem;
  /** Set when only the pool's own fields are invalid. */
  readonly task?: ClaudeCodeTask | undefined;
  readonly pool?: never;
}

export interface PoolListing {
  readonly board: TaskBoard;
  readonly tasks: ReadonlyMap<string, TaskEntry>;
  /** By the id in the file's name. */
  readonly broken: ReadonlyMap<string, BrokenEntry>;
  /** Undefined removes the entry. */
  readonly put: (id: string, entry: ListEntry | undefined) => void;
}

/** `fileOf`: the file of a task, for problems. */
export function newListing(fileOf: (id: string) => string): PoolListing {
  const board = newTaskBoard(fileOf);
  const tasks = new Map<string, TaskEntry>();
  const broken = new Map<string, BrokenEntry>();
  return {
    board,
    tasks,
    broken,
    put(id, entry) {
      if (entry?.pool) tasks.set(id, entry);
      else tasks.delete(id);
      if (entry?.problem) broken.set(id, entry);
      else broken.delete(id);
      board.put(id, onBoard(entry));
    },
  };
}

/** The entry in the form that the board takes. */
export const onBoard = (entry: ListEntry | undefined): PoolTask | PoolProblem | undefined =>
  entry?.pool ?? entry?.problem;

// A whole list as it is known, entry by entry: the tasks, the files that are none, and the board that
// follows from both. Pure: whoever reads the files puts in what was found.

import type { ClaudeCodeTask } from "../claude/tasks/format.ts";
import { newTaskBoard, type TaskBoard } from "./board.ts";
import type { PoolProblem } from "./problem.ts";
import type { PoolTask } from "./task.ts";

/** A task as its file has it, and as the pool sees it; or a file that is none. */
export type ListEntry = TaskEntry | BrokenEntry;

export interface TaskEntry {
  readonly task: ClaudeCodeTask;
  readonly pool: PoolTask;
  readonly problem?: never;
}

export interface BrokenEntry {
  readonly problem: PoolProblem;
  /** When only what the pool keeps in it is wrong. */
  readonly task?: ClaudeCodeTask | undefined;
  readonly pool?: never;
}

export interface PoolListing {
  readonly board: TaskBoard;
  readonly tasks: ReadonlyMap<string, TaskEntry>;
  /** By the id that they would have. */
  readonly broken: ReadonlyMap<string, BrokenEntry>;
  /** Nothing: it is gone. */
  readonly put: (id: string, entry: ListEntry | undefined) => void;
}

/** `fileOf` says where a task is kept, for the problems that are found here. */
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

/** As the board takes it. */
export const onBoard = (entry: ListEntry | undefined): PoolTask | PoolProblem | undefined =>
  entry?.pool ?? entry?.problem;

// A whole list, read from scratch: for whoever looks once, and to judge what a repair has left behind.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readTaskFile, taskIdOf } from "../claude/task-file.ts";
import { messageOf } from "../errors.ts";
import { ifThere, readFault } from "../machine/files.ts";
import type { ClaudeCodeTask } from "../story/claude-task.ts";
import { readContextFile } from "./context-file.ts";
import type { PoolProblem } from "./pool-problem.ts";
import { poolTaskOf, type PoolTask } from "./pool-task.ts";
import { newTaskBoard, type TaskBoard } from "./task-board.ts";

export interface ReadList {
  readonly board: TaskBoard;
  /** By id: as the file has it, and as the pool sees it. */
  readonly tasks: ReadonlyMap<string, { readonly task: ClaudeCodeTask; readonly pool: PoolTask }>;
  /** Files that are no task, by the id that they would have. */
  readonly broken: ReadonlyMap<string, PoolProblem>;
}

/** A list that is not there is an empty one. */
export async function readList(list: string): Promise<ReadList> {
  const fileOf = (id: string): string => join(list, `${id}.json`);
  const board = newTaskBoard(fileOf);
  const tasks = new Map<string, { task: ClaudeCodeTask; pool: PoolTask }>();
  const broken = new Map<string, PoolProblem>();
  for (const id of (ifThere(() => readdirSync(list)) ?? []).map(taskIdOf)) {
    if (id === undefined) continue;
    const entry = await readEntry(list, id);
    if (entry === undefined) continue;
    if ("problem" in entry) broken.set(id, entry.problem);
    else tasks.set(id, entry);
    board.put(id, "problem" in entry ? entry.problem : entry.pool);
  }
  return { board, tasks, broken };
}

type Entry = { task: ClaudeCodeTask; pool: PoolTask } | { problem: PoolProblem };

async function readEntry(list: string, id: string): Promise<Entry | undefined> {
  const path = join(list, `${id}.json`);
  const file = await readTaskFile(list, id);
  if (file.kind === "gone") return undefined;
  if (file.kind !== "task") {
    return { problem: { kind: file.kind, file: path, taskId: id, message: file.message } };
  }
  // Not every disk knows when a file was made.
  const stat = ifThere(() => statSync(path));
  const createdAtMs = stat === undefined ? 0 : stat.birthtimeMs || stat.ctimeMs;
  const { task, fault } = poolTaskOf(file.task, createdAtMs);
  if (fault === undefined) return { task: file.task, pool: task };
  return {
    problem: {
      kind: "invalid-task",
      file: path,
      taskId: id,
      message: `${path} is no task. ${fault}`,
    },
  };
}

/** Whatever would stop a daemon: wrong files, wrong dependencies, a wrong context file. */
export async function findProblems(list: string, contextFile: string): Promise<PoolProblem[]> {
  return [...(await problemsOfList(list)), ...problemsOfContext(contextFile)];
}

async function problemsOfList(list: string): Promise<readonly PoolProblem[]> {
  try {
    return (await readList(list)).board.problems();
  } catch (error) {
    return [{ kind: "unreadable", file: list, message: `${list} ${readFault(error)}.` }];
  }
}

function problemsOfContext(file: string): PoolProblem[] {
  try {
    readContextFile(file);
    return [];
  } catch (error) {
    return [{ kind: "context", file, message: messageOf(error) }];
  }
}

// All problems that would stop a daemon: invalid task files or dependencies, an invalid context file.

import { readList } from "../../tasks/read-list.ts";
import { messageOf } from "../../errors.ts";
import { readProblem } from "../../machine/files/files.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import { readContextFile } from "./context-file.ts";

export async function findProblems(list: string, contextFile: string): Promise<PoolProblem[]> {
  const problems = [...(await problemsOfList(list)), contextProblem(contextFile)];
  return problems.filter((problem) => problem !== undefined);
}

async function problemsOfList(list: string): Promise<readonly PoolProblem[]> {
  try {
    return (await readList(list)).board.problems();
  } catch (error) {
    return [{ kind: "unreadable", file: list, message: `${list} ${readProblem(error)}.` }];
  }
}

/** Read each time: it is small, and a person may edit it. */
export function contextProblem(file: string): PoolProblem | undefined {
  try {
    readContextFile(file);
    return undefined;
  } catch (error) {
    return { kind: "context", file, message: messageOf(error) };
  }
}

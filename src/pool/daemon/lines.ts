// What a daemon says of what happens, one line each.

import type { RequestResult } from "../../tasks/daemon-files.ts";
import { truncate } from "../../text/one-line.ts";
import type { PoolProblem } from "../../tasks/problem.ts";

/** It may be a whole page. */
const MAX_SUBJECT = 120;

export const tookLine = (worker: string, task: { id: string; subject: string }): string =>
  `${worker} took ${task.id} ${JSON.stringify(truncate(task.subject, MAX_SUBJECT))}`;

/** Nothing for what is of no interest to anyone: someone else was faster. */
export function resultLine(worker: string, result: RequestResult): string | undefined {
  const line = lineOf(worker, result);
  if (line === undefined || result.aside === undefined) return line;
  return `${line.replace(/\.$/, "")}; ${result.aside}`;
}

function lineOf(worker: string, result: RequestResult): string | undefined {
  const { taskId, reason, commit } = result;
  switch (result.kind) {
    case "completed":
      return commit === undefined
        ? `${worker} completed ${taskId}, which needed no change: ${firstLine(reason)}`
        : `${worker} merged ${taskId} as ${commit.slice(0, 12)}`;
    case "failed":
      return `${worker} failed at ${taskId}: ${firstLine(reason)}`;
    case "held":
      return `${taskId} needs a person: ${firstLine(reason)}`;
    case "returned":
      return `${worker} gave ${taskId} back: ${firstLine(reason)}`;
    case "lost":
      return `${worker} lost ${taskId}: ${firstLine(reason)}`;
    case "not-taken":
      return undefined;
  }
}

export const problemLine = ({ kind, file, message }: PoolProblem): string =>
  `The pool stops (${kind}${file === undefined ? "" : `, ${file}`}): ${message}`;

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";

// The lines that a daemon prints.

import type { RequestResult } from "../../tasks/daemon-files.ts";
import { firstLine, truncate } from "../../text/one-line.ts";
import type { PoolProblem } from "../../tasks/problem.ts";

/** A subject may be very long. */
const MAX_SUBJECT = 120;

export const tookLine = (worker: string, task: { id: string; subject: string }): string =>
  `${worker} started task ${task.id} ${JSON.stringify(truncate(task.subject, MAX_SUBJECT))}`;

/** Undefined if another worker was faster: that is not worth a line. */
export function resultLine(worker: string, result: RequestResult): string | undefined {
  const line = lineOf(worker, result);
  if (line === undefined || result.remark === undefined) return line;
  return `${line.replace(/\.$/, "")}; ${result.remark}`;
}

function lineOf(worker: string, result: RequestResult): string | undefined {
  const { taskId, reason, commit } = result;
  switch (result.kind) {
    case "completed":
      return commit === undefined
        ? `${worker} completed task ${taskId} without a change: ${firstLine(reason)}`
        : `${worker} merged task ${taskId} as ${commit.slice(0, 12)}`;
    case "failed":
      return `${worker} failed task ${taskId}: ${firstLine(reason)}`;
    case "held":
      return `task ${taskId} needs you: ${firstLine(reason)}`;
    case "returned":
      return `${worker} returned task ${taskId}: ${firstLine(reason)}`;
    case "lost":
      return `${worker} lost task ${taskId}: ${firstLine(reason)}`;
    case "not-taken":
      return undefined;
  }
}

export const problemLine = ({ kind, file, message }: PoolProblem): string =>
  `The pool has stopped (${kind}${file === undefined ? "" : `, ${file}`}): ${message}`;

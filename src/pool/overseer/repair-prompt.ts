// The prompt of a repair run: what stopped the pool, and what the agent may do about it.

import type { PoolProblem } from "../../tasks/problem.ts";

export interface RepairBrief {
  readonly list: string;
  readonly contextFile: string;
  /** The first is what stopped the pool; the others were found with it. */
  readonly problems: readonly [PoolProblem, ...PoolProblem[]];
  /** By file: the last committed version, if the list is under version control. */
  readonly committed: ReadonlyMap<string, string>;
  /** Why an earlier repair of the same failure did not succeed. */
  readonly before: string | undefined;
}

export const repairPrompt = ({
  list,
  contextFile,
  problems,
  committed,
  before,
}: RepairBrief): string =>
  [
    "The pool of agents has stopped because of a failure in its task list. Repair it, so that it can be started again.",
    ...problems.map(failureContext),
    before === undefined
      ? undefined
      : `An earlier repair did not succeed. The current problem: ${before}`,
    [
      `The tasks are the JSON files directly in ${list}, one for each, called <id>.json. A task file holds an object with:`,
      "- id (text, the same as the file's name), subject (text), description (text), status (pending, in_progress or completed), blocks and blockedBy (lists of ids of tasks);",
      "- optionally activeForm, owner (both text) and metadata (an object; metadata.priority is a whole number from 0 to 4, metadata.label a text of letters, digits, dashes and underscores).",
      `The context file is ${contextFile}: TOML, one section for each label, each with prologue and epilogue, both text.`,
    ].join("\n"),
    ...[...committed].map(([file, text]) => `As last committed, ${file}:\n${fenced(text)}`),
    [
      "You may:",
      "- fix malformed task JSON files and missing or wrong fields;",
      "- resolve circular dependencies by editing blockedBy fields (and blocks on the other side);",
      "- restore missing task files from version control, where their last version is given here, or remove a missing task from blockedBy;",
      "- fix the context file.",
    ].join("\n"),
    "Change as little as possible, and keep everything else in a file: subject, description, status, metadata, unknown fields. Never mark a task as completed, and never empty or replace a task that can be fixed. You can only write these files, with Edit and Write; there is no shell. When you are done, end your turn with one sentence on what you changed.",
  ]
    .filter((part) => part !== undefined)
    .join("\n\n");

const failureContext = ({ kind, taskId, file, message }: PoolProblem): string =>
  [
    ...(taskId === undefined ? [] : [`Task: ${taskId}`]),
    ...(file === undefined ? [] : [`File: ${file}`]),
    `Failure: ${kind}`,
    `Error: ${message}`,
  ].join("\n");

/** The fence is longer than any fence inside. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}

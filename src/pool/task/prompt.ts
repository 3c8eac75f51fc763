// What an agent of the pool is told: where it is and what the rules are, what the label's section of
// the context file says, its task, and last the end of that section.

import { gateRules, type GateFacts } from "../../story/prompts/gate-rules.ts";
import type { TaskContext } from "../list/context-file.ts";

export interface PoolOrder {
  readonly task: {
    readonly id: string;
    readonly subject: string;
    readonly description: string;
  };
  readonly list: string;
  readonly worktree: string;
  /** The branch that the work goes into. */
  readonly target: string;
  readonly context: TaskContext;
  /** What the gate judges by: the commands that must pass, and the limits of a change. */
  readonly gate: GateFacts;
  /** What a person said to the questions of earlier attempts. */
  readonly answers: readonly { readonly question: string; readonly answer: string }[];
  readonly lastFailure: string | undefined;
}

/** Only what is said: an empty part would be a riddle. */
export const poolPrompt = (request: PoolOrder): string =>
  [
    preamble(request),
    request.context.prologue,
    request.task.subject,
    request.task.description,
    answered(request.answers),
    failed(request.lastFailure),
    request.context.epilogue,
  ]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");

const preamble = ({ task, list, worktree, target, gate }: PoolOrder): string =>
  [
    `You are working on task ${task.id} of the task list ${list}, in the worktree ${worktree}. It is yours alone; others work on other tasks in worktrees of their own.`,
    RULES,
    `Your work is merged into ${target} when you have finished it and it passes the gate.`,
    "",
    gateRules(gate),
  ].join("\n");

const RULES = [
  "Work in this folder only. Do not commit, push, merge or switch branches: that is done for you.",
  'When all of the work is done, call finish with the outcome "done" and a summary of what you changed; when the task needs no change to any file, call it with "no_changes" and say why. Do not set the status or the owner of a task yourself. A turn that ends without finish counts as unfinished.',
  "When only a person can decide how to go on, ask with report_blocker and end your turn; never guess instead. Work that you find besides this task can be put on the list with TaskCreate.",
].join("\n");

const answered = (answers: PoolOrder["answers"]): string =>
  answers.length === 0
    ? ""
    : [
        "Questions that came up earlier, and the answers to them:",
        ...answers.map(({ question, answer }) => indented(`- ${question}\nAnswer: ${answer}`)),
      ].join("\n");

const failed = (failure: string | undefined): string =>
  failure === undefined || failure.trim() === ""
    ? ""
    : `An earlier attempt at this task failed:\n${indented(`- ${failure.trim()}`)}`;

const indented = (text: string): string => text.replaceAll(/\n(?! {2})/g, "\n  ");

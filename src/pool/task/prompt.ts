// What a pool's agent is told. At first: where it is and the rules, the prologue of its label in the context file, the
// task, and the epilogue of the label. Later: what the gate refuses, or what its work conflicts with.

import { gateRules, type GateFacts } from "../../story/prompts/gate-rules.ts";
import type { TaskContext } from "../list/context-file.ts";

export interface TaskPromptRequest {
  readonly task: {
    readonly id: string;
    readonly subject: string;
    readonly description: string;
  };
  readonly list: string;
  readonly worktree: string;
  /** The branch that the work is merged into. */
  readonly target: string;
  readonly context: TaskContext;
  /** What the gate judges by: the commands that must pass, and the limits of a change. */
  readonly gate: GateFacts;
  /** A person's answers to the questions of earlier attempts. */
  readonly answers: readonly { readonly question: string; readonly answer: string }[];
  readonly lastFailure: string | undefined;
}

/** Empty parts are left out. */
export const poolPrompt = (request: TaskPromptRequest): string =>
  [
    preamble(request),
    request.context.prologue,
    request.task.subject,
    request.task.description,
    answersText(request.answers),
    failureText(request.lastFailure),
    request.context.epilogue,
  ]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");

const preamble = ({ task, list, worktree, target, gate }: TaskPromptRequest): string =>
  [
    `You are working on task ${task.id} of the task list ${list}, in the worktree ${worktree}. The worktree is yours alone; other agents work on other tasks in their own worktrees.`,
    RULES,
    `Your work is merged into ${target} when you have finished it and it passes the gate.`,
    "",
    gateRules(gate),
  ].join("\n");

const RULES = [
  "Work in this folder only. Do not commit, push, merge or switch branches: Saga does that.",
  'When all of the work is done, call finish with the outcome "done" and a summary of what you changed; when the task needs no change to any file, call it with "no_changes" and say why. Do not set the status or the owner of a task yourself. A turn that ends without finish counts as unfinished.',
  "When only a person can decide how to continue, ask with report_blocker and end your turn; do not guess. If you find work beyond this task, add it to the list with TaskCreate.",
].join("\n");

const answersText = (answers: TaskPromptRequest["answers"]): string =>
  answers.length === 0
    ? ""
    : [
        "Earlier questions, with a person's answers:",
        ...answers.map(({ question, answer }) => indented(`- ${question}\nAnswer: ${answer}`)),
      ].join("\n");

const failureText = (failure: string | undefined): string =>
  failure === undefined || failure.trim() === ""
    ? ""
    : `An earlier attempt at this task failed:\n${indented(`- ${failure.trim()}`)}`;

const indented = (text: string): string => text.replaceAll(/\n(?! {2})/g, "\n  ");

/** For a new conversation in a worktree with work in progress: the first prompt, and what the agent was to do next. */
export const restartPrompt = (first: string, next: string): string =>
  [first, "The work has already been started; the worktree contains it.", next].join("\n\n");

export const fixPrompt = (refusal: string): string =>
  [
    refusal,
    "Fix the cause. Do not weaken a check, and do not change protected files. Then call finish again.",
  ].join("\n\n");

export const conflictPrompt = (target: string, sides: string): string =>
  [
    `${target} has new commits since you started, and they conflict with your changes. The merge is in progress in this worktree: the files below contain both sides between conflict markers.`,
    sides,
    "Keep what both sides want. Edit each file until no marker is left. Do not commit, do not abort the merge, and do not take one side blindly. Then call finish again.",
  ].join("\n\n");

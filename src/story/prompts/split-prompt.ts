// The prompt of a run that proposes how to split a task: the task, its progress, the reason and the rules.

import type { SizeCeiling } from "../definition/validate.ts";
import { aboutStory } from "./story-prompt.ts";
import { MAX_PARTS, MIN_PARTS } from "../plan/split-proposal.ts";
import type { Story } from "../definition/story.ts";
import type { Task } from "../definition/task.ts";

export interface SplitRequest {
  readonly story: Story;
  readonly task: Task;
  /** A sentence: the agent used no tool for six minutes, or the task is too large. */
  readonly reason: string;
  /** A part of it is committed. */
  readonly finished: boolean;
  /** The changes so far, as git shows them. Empty without changes. */
  readonly progress: string;
  readonly ceiling: SizeCeiling;
  /** The ids of all tasks of the story. */
  readonly usedIds: readonly string[];
}

export function splitPrompt(request: SplitRequest): string {
  const { story, task, reason, ceiling, usedIds } = request;
  return [
    `The task ${task.id} of the story "${story.title}" is to be split into smaller tasks. ${reason}`,
    `# The story\n\n${aboutStory(story).join("\n\n")}`,
    `# The task ${task.id}: ${task.subject}\n\n${aboutTask(task).join("\n\n")}`,
    `# Progress so far\n\n${progressOf(request)}`,
    [
      "# What to do",
      "",
      `Read as much of the code as you need, then call propose_split with ${MIN_PARTS} to ${MAX_PARTS} new tasks for ${request.finished ? "what is left of" : "the whole of"} ${task.id}. This run only reads: do none of the work.`,
      "",
      `- Each changes at most ${ceiling.maxFiles} files (writeFiles) and ${ceiling.maxLines} lines (estimatedLines). Smaller is better; leave room for tests.`,
      "- Each can be done and checked on its own, and contains everything needed to do it: its agent has not seen this task.",
      "- Together they do what the task asks for, no more and no less.",
      "- blockedBy names other new tasks only. The blockers of this task are added to the first of them, and its dependents will wait for the last of them.",
      `- These ids are taken: ${usedIds.join(", ")}.`,
      "",
      "When the proposal is accepted, end your turn.",
    ].join("\n"),
  ].join("\n\n");
}

const aboutTask = ({ description, guidance, doneWhen, checks, writeFiles }: Task): string[] =>
  [
    description,
    guidance && `Guidance: ${guidance}`,
    doneWhen && `Done when: ${doneWhen}`,
    checks.length > 0 &&
      `Checks that must pass at the end (they are added to the last new task): ${checks.map((check) => `\`${check}\``).join(", ")}`,
    writeFiles && writeFiles.length > 0 && `Files it was to change: ${writeFiles.join(", ")}`,
  ].filter((part) => typeof part === "string" && part !== "") as string[];

function progressOf({ finished, progress, task }: SplitRequest): string {
  if (finished) {
    return `A part of it is committed and stays. ${task.id} becomes that part; propose the rest.\n\n${progress}`;
  }
  return progress === ""
    ? "No work was done yet."
    : `Nothing is committed. The worktree has these unfinished changes:\n\n${progress}`;
}

// What a planning run is told: the task, what there is of it, why it is split, and what a proposal
// must keep to.

import type { SizeCeiling } from "../definition/validate.ts";
import { aboutStory } from "./story-prompt.ts";
import { MAX_PARTS, MIN_PARTS } from "../plan/split-proposal.ts";
import type { Story } from "../definition/story.ts";
import type { Task } from "../definition/task.ts";

export interface SplitRequest {
  readonly story: Story;
  readonly task: Task;
  /** A sentence: it used no tool for six minutes, or it has grown past the ceiling. */
  readonly reason: string;
  /** A part of it is committed. */
  readonly finished: boolean;
  /** What there is of it, in git's words; empty when there is nothing. */
  readonly progress: string;
  readonly ceiling: SizeCeiling;
  /** Every id that is taken. */
  readonly taken: readonly string[];
}

export function splitPrompt(question: SplitRequest): string {
  const { story, task, reason, ceiling, taken } = question;
  return [
    `The task ${task.id} of the story "${story.title}" is to be split into smaller tasks. ${reason}`,
    `# The story\n\n${aboutStory(story).join("\n\n")}`,
    `# The task ${task.id}: ${task.subject}\n\n${aboutTask(task).join("\n\n")}`,
    `# What there is of it\n\n${progressOf(question)}`,
    [
      "# What to do",
      "",
      `Look at the code as far as you need to, then call propose_split with ${MIN_PARTS} to ${MAX_PARTS} new tasks for ${question.finished ? "what is left of" : "the whole of"} ${task.id}. This run only reads: do none of the work.`,
      "",
      `- Each changes at most ${ceiling.maxFiles} files (writeFiles) and ${ceiling.maxLines} lines (estimatedLines). Smaller is better; leave room for tests.`,
      "- Each can be done and checked for itself, and says all that is needed to do it: whoever does it has not seen this task.",
      "- Together they come to what the task asks for, no more and no less.",
      "- blockedBy names other new tasks only. What the task waited for, they wait for by themselves, and what waits for it will wait for the last of them.",
      `- These ids are taken: ${taken.join(", ")}.`,
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
      `Checks that must pass in the end (they are added to the last of the new tasks): ${checks.map((check) => `\`${check}\``).join(", ")}`,
    writeFiles && writeFiles.length > 0 && `Files it was to change: ${writeFiles.join(", ")}`,
  ].filter((part) => typeof part === "string" && part !== "") as string[];

function progressOf({ finished, progress, task }: SplitRequest): string {
  if (finished) {
    return `A part of it is committed, and stays. ${task.id} will be that part; propose the rest.\n\n${progress}`;
  }
  return progress === ""
    ? "Nothing was done for it yet."
    : `Nothing of it is committed. These changes lie in the worktree, half done:\n\n${progress}`;
}

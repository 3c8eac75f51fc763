// The prompt of a tester or reviewer of a finished story, and their verdict.

import * as z from "zod";
import { aboutStory } from "../prompts/story-prompt.ts";
import type { Story } from "../definition/story.ts";
import type { Task } from "../definition/task.ts";

export type Inspector = "test" | "review";

export const verdictSchema = z.object({
  isPassed: z.boolean().describe("Whether the story may be merged as it is."),
  summary: z.string().min(1).describe("What was read or tried, and the result."),
  findings: z
    .array(
      z.object({
        file: z.string().optional().describe("From the top of the repository."),
        line: z.int().positive().optional(),
        message: z.string().min(1).describe("What is wrong, and what would be correct."),
      }),
    )
    .default([])
    .describe("Everything that has to change before it may be merged; empty when it passes."),
});
export type StoryVerdict = z.infer<typeof verdictSchema>;

/** Why a verdict contradicts itself, as a sentence. */
export function verdictProblem({ isPassed, findings }: StoryVerdict): string | undefined {
  if (isPassed && findings.length > 0) {
    return "A story that passes has no findings. Remove them, or do not let it pass.";
  }
  if (!isPassed && findings.length === 0) {
    return "List in findings what has to change, so that it can be fixed.";
  }
  return undefined;
}

export interface InspectorBriefing {
  readonly inspector: Inspector;
  readonly story: Story;
  readonly tasks: readonly Task[];
  /** The story's changes, as a diff of git. */
  readonly diff: string;
}

/** In characters. An inspector reads the rest in the files. */
const MAX_DIFF = 60_000;

export const inspectorPrompt = ({ inspector, story, tasks, diff }: InspectorBriefing): string =>
  [
    `${ROLE[inspector]} This folder is a clean checkout of the finished story "${story.title}": nothing that you change here is kept.`,
    `# The story\n\n${aboutStory(story).join("\n\n")}`,
    `# Its tasks\n\n${tasks.map(({ id, subject, doneWhen }) => `- ${id}: ${subject}${doneWhen ? ` (done when: ${doneWhen})` : ""}`).join("\n")}`,
    `# What it changed\n\n\`\`\`diff\n${diff.length > MAX_DIFF ? `${diff.slice(0, MAX_DIFF)}\n… (cut; read the files)` : diff}\n\`\`\``,
    TO_DO[inspector],
  ].join("\n\n");

const ROLE: Readonly<Record<Inspector, string>> = {
  test: "You are the tester of a story that others built.",
  review: "You are the reviewer of a story that others built.",
};

const TO_DO: Readonly<Record<Inspector, string>> = {
  test: [
    "# What to do",
    "Find out whether it works: run its tests, use it for its purpose, try what a user would try and what they should not. Judge what you observed, not what the code claims to do.",
    "Then call verdict once. Let it pass only when it does what the story asks for. A finding names what you did, what happened, and what should have happened.",
  ].join("\n\n"),
  review: [
    "# What to do",
    "Read the changes and the code around them: whether they do all that the story asks for and nothing else; whether they are correct, also when something fails; whether the tests would notice if they were not; whether they follow the style of this code.",
    "Then call verdict once. A finding is something that must change before the merge, with its file and line: no matters of taste, no praise.",
  ].join("\n\n"),
};

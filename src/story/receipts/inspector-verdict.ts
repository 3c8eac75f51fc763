// A tester's or reviewer's verdict on a finished story, and what they are told.

import * as z from "zod";
import { aboutStory } from "../prompts/story-prompt.ts";
import type { Story } from "../definition/story.ts";
import type { Task } from "../definition/task.ts";

export type Inspector = "test" | "review";

export const verdictSchema = z.object({
  isPassed: z.boolean().describe("Whether the story may be merged as it is."),
  summary: z.string().min(1).describe("What was looked at or tried, and what came of it."),
  findings: z
    .array(
      z.object({
        file: z.string().optional().describe("From the top of the repository."),
        line: z.int().positive().optional(),
        message: z.string().min(1).describe("What is wrong, and what would be right."),
      }),
    )
    .default([])
    .describe("Everything that has to change before it may be merged; empty when it passes."),
});
export type StoryVerdict = z.infer<typeof verdictSchema>;

/** Why a verdict cannot be taken as it is, as a sentence. */
export function verdictProblem({ isPassed, findings }: StoryVerdict): string | undefined {
  if (isPassed && findings.length > 0) {
    return "A story that passes has no findings. Leave them out, or do not let it pass.";
  }
  if (!isPassed && findings.length === 0) {
    return "Say in findings what has to change, so that someone can mend it.";
  }
  return undefined;
}

export interface InspectorBriefing {
  readonly inspector: Inspector;
  readonly story: Story;
  readonly tasks: readonly Task[];
  /** What the story changed, in git's words. */
  readonly diff: string;
}

/** Longer ones are read in the files. */
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
  test: "You are the tester of a story that others have built.",
  review: "You are the reviewer of a story that others have built.",
};

const TO_DO: Readonly<Record<Inspector, string>> = {
  test: [
    "# What to do",
    "Find out whether it works: run its tests and what it is for, try what a user would try, and what they should not. Judge what you saw, not what the code says it does.",
    "Then call verdict once. Let it pass only when what the story asks for holds. A finding names what you did, what happened, and what should have happened.",
  ].join("\n\n"),
  review: [
    "# What to do",
    "Read what changed and what it touches: whether it does what the story asks for, all of it and nothing else; whether it is right, also where things go wrong; whether its tests would notice if it were not; whether it keeps to the way this code is written.",
    "Then call verdict once. A finding is something that has to change before this is merged, with its file and line: no matters of taste, and no praise.",
  ].join("\n\n"),
};

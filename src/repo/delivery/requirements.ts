// What must hold before a story's code may be merged: what the story requires now, and where that is weaker than when
// it started. One answer for merge, gate, `saga show` and the page.

import type { Git } from "../../machine/programs/git.ts";
import type { Requirements } from "../../story/receipts/merge-readiness.ts";
import type { Story } from "../../story/definition/story.ts";
import type { Task } from "../../story/definition/task.ts";
import { weakenedSince, type GateDefinition } from "../../story/receipts/weakened-definition.ts";
import { readInitialDefinitions } from "../commits/initial-definition.ts";

export interface JudgedStory {
  readonly id: string;
  readonly story: Story;
  readonly tasks: readonly Task[];
}

export interface JudgedRange {
  /** The commit before the story's own work, and its last commit. */
  readonly from: string;
  readonly tip: string;
  /** The commit that the story was started with, if it is known for certain. */
  readonly start: string | undefined;
}

export interface StoryRequirements {
  /** The story as people wrote it. */
  readonly initial: readonly GateDefinition[];
  readonly required: Requirements;
}

export async function requirementsOf(
  git: Git,
  { id, story, tasks }: JudgedStory,
  range: JudgedRange,
): Promise<StoryRequirements> {
  const initial = await readInitialDefinitions(git, { storyId: id, ...range });
  return { initial, required: { ...story, weakened: weakenedSince(initial, { story, tasks }) } };
}

// What must hold before a story's code may be merged: what the story asks for, and where that is less than when
// it began. One answer for a merge, a gate, `saga show` and the page. Nothing is judged here.

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
  /** Where the story's own work begins, and where it has come to. */
  readonly from: string;
  readonly tip: string;
  /** The commit that it was started with, when that is known for certain. */
  readonly start: string | undefined;
}

export interface StoryRequirements {
  /** The story as people gave it. */
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

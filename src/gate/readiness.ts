// Whether a story's code can be merged, and what blocks it: one answer for the worker, merge, accept, verify, push,
// `saga show`, `saga status` and the page. A story that asks for less than when it began is noticed in all of them.

import type { Git } from "../machine/programs/git.ts";
import { codeTree } from "../repo/code-tree.ts";
import {
  readInitialDefinitions,
  type DefinitionRange,
} from "../repo/commits/initial-definition.ts";
import type { Story } from "../story/definition/story.ts";
import type { Task } from "../story/definition/task.ts";
import { receiptsFor } from "../story/receipts/latest-receipts.ts";
import {
  mergeReadiness,
  type MergeReadiness,
  type Requirements,
} from "../story/receipts/merge-readiness.ts";
import type { KeyedFinding, Receipt } from "../story/receipts/receipt.ts";
import { weakenedSince, type GateDefinition } from "../story/receipts/weakened-definition.ts";

export interface JudgedStory {
  readonly id: string;
  readonly story: Story;
  readonly tasks: readonly Task[];
}

export type JudgedRange = Omit<DefinitionRange, "storyId">;

export interface StoryRequirements extends Requirements {
  readonly weakened: readonly KeyedFinding[];
}

/** What must hold before a story's code may be merged: what it requires now, and where that is less than at its start. */
export async function requirementsOf(
  git: Git,
  { id, story, tasks }: JudgedStory,
  range: JudgedRange,
): Promise<{
  /** The story as people wrote it. */
  readonly initial: readonly GateDefinition[];
  readonly required: StoryRequirements;
}> {
  const initial = await readInitialDefinitions(git, { storyId: id, ...range });
  const { checks, needsTesting, needsReview } = story;
  const weakened = weakenedSince(initial, { story, tasks });
  return { initial, required: { checks, needsTesting, needsReview, weakened } };
}

export interface StoryReadiness extends MergeReadiness {
  readonly tree: string;
  readonly required: Requirements;
  /** The newest receipts for exactly this code. */
  readonly receipts: readonly Receipt[];
  readonly isReady: boolean;
}

/** Judges a commit of the story by the story's receipts: only those for exactly its code count. */
export async function readinessOf(
  git: Git,
  { commit, required, receipts }: ReadinessQuery,
): Promise<StoryReadiness> {
  return readinessAt(await codeTree(git, commit), { required, receipts });
}

export function readinessAt(
  tree: string,
  { required, receipts }: Omit<ReadinessQuery, "commit">,
): StoryReadiness {
  const current = receiptsFor(receipts, tree);
  const { missing, mergeBlockers } = mergeReadiness(current, required);
  const isReady = missing.length === 0 && mergeBlockers.length === 0;
  return { tree, required, receipts: current, missing, mergeBlockers, isReady };
}

export interface ReadinessQuery {
  readonly commit: string;
  readonly required: Requirements;
  /** All receipts of the story. */
  readonly receipts: readonly Receipt[];
}

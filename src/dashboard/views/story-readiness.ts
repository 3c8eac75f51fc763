// What blocks the merge of a story's current code, by the same rule as the merge itself. For the page, `saga show`
// and `saga status`. Changes nothing.

import {
  readinessOf,
  requirementsOf,
  type StoryReadiness,
  type StoryRequirements,
} from "../../gate/readiness.ts";
import type { StoryRange } from "../../repo/story-range.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import { readPersonsVersions } from "../../store/runs/person-edit.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { readRange, type GitContext } from "./story-range.ts";

export async function readReadiness(
  context: GitContext,
  record: StoryRecord,
  { range, receipts }: { readonly range: StoryRange; readonly receipts: readonly Receipt[] },
): Promise<CurrentReadiness> {
  const required = await readRequirements(context, record, range);
  const readiness = await readinessOf(range.git, { commit: range.to, required, receipts });
  return { ...readiness, required, weakened: sentencesOf(required) };
}

export interface CurrentReadiness extends StoryReadiness {
  /** Where the story asks for less than at its start, in sentences. */
  readonly weakened: readonly string[];
}

const sentencesOf = ({ weakened }: StoryRequirements): string[] =>
  weakened.map(({ message }) => message);

async function readRequirements(
  context: GitContext,
  record: StoryRecord,
  { git, from, to }: StoryRange,
): Promise<StoryRequirements> {
  const versions = await readPersonsVersions(context, record.id);
  return (await requirementsOf(git, record, { from, tip: to, ...versions })).required;
}

/** Where a story asks for less than at its start, in sentences. */
export async function readWeakened(
  context: GitContext,
  record: StoryRecord,
  epic: string | undefined,
): Promise<readonly string[]> {
  const range = await readRange(context, { id: record.id, branch: record.story.branch, epic });
  if (range === undefined) return [];
  return sentencesOf(await readRequirements(context, record, range));
}

// What blocks the merge of a story's current code, by the same rule as the merge itself. For the page, `saga show`
// and `saga status`. Changes nothing.

import { codeTree } from "../../repo/code-tree.ts";
import { requirementsOf } from "../../repo/delivery/requirements.ts";
import { readCheckoutCopy } from "../../store/views/checkout-copy.ts";
import { layoutOf } from "../../store/project/layout.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import { readStartCommit } from "../../store/runs/start-commit.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { receiptsFor } from "../../story/receipts/latest-receipts.ts";
import {
  mergeReadiness,
  type Requirements,
  type MergeReadiness,
} from "../../story/receipts/merge-readiness.ts";
import { weakenedSince } from "../../story/receipts/weakened-definition.ts";
import { findRange, type GitContext, type StoryRange } from "./story-range.ts";

export interface StoryReadiness extends MergeReadiness {
  readonly tree: string;
  readonly required: Requirements;
}

export async function readReadiness(
  context: GitContext,
  record: StoryRecord,
  { range, receipts }: { readonly range: StoryRange; readonly receipts: readonly Receipt[] },
): Promise<StoryReadiness> {
  const tree = await codeTree(range.git, range.to);
  const required = await readRequirements(context, record, range);
  // Only receipts for exactly this code count.
  return { ...mergeReadiness(receiptsFor(receipts, tree), required), tree, required };
}

async function readRequirements(
  context: GitContext,
  record: StoryRecord,
  { git, from, to }: StoryRange,
): Promise<Requirements> {
  const start = await readStartCommit(context, record.id);
  return (await requirementsOf(git, record, { from, tip: to, start })).required;
}

/**
 * Where a story asks for less than at its start, in sentences. Lists call this for every story, so git runs only if
 * the copy in the person's checkout asks for more, which is rare.
 */
export async function readWeakened(
  context: GitContext,
  record: StoryRecord,
  epic: string | undefined,
): Promise<readonly string[]> {
  const copy = readCheckoutCopy(layoutOf(context.store.project), record);
  if (copy === undefined || weakenedSince([copy], record).length === 0) return [];
  const range = await findRange(context, { id: record.id, branch: record.story.branch, epic });
  if (range === undefined) return [];
  const { weakened = [] } = await readRequirements(context, record, range);
  return weakened.map(({ message }) => message);
}

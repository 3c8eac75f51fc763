// What a person should know before reviewing a story: where its definition asks for less than at its start, and how
// risky its changes are. For the page, `saga status` and `saga list`. Changes nothing.

import { newMatcher } from "../../gate/globs.ts";
import { readChangedFiles } from "../../repo/diff/changes.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { reviewRisk, type ReviewRisk } from "../../story/review/review-risk.ts";
import { readRange, type GitContext } from "./story-range.ts";
import { readReadiness } from "./story-readiness.ts";

export interface ReviewFacts {
  /** Where it asks for less than at its start, in sentences. */
  readonly weakened: readonly string[];
  readonly risk: ReviewRisk;
}

/** Undefined if the story has no branch. `receipts`: all of the story. */
export async function readReviewFacts(
  context: GitContext,
  record: StoryRecord,
  { epic, receipts }: { readonly epic: string | undefined; readonly receipts: readonly Receipt[] },
): Promise<ReviewFacts | undefined> {
  const range = await readRange(context, { id: record.id, branch: record.story.branch, epic });
  if (range === undefined) return undefined;
  const readiness = await readReadiness(context, record, { range, receipts });
  const { weakened } = readiness;
  const changed = await readChangedFiles(range.git, range.from, range.to);
  const files = changed.filter(({ path }) => !path.startsWith(".saga/"));
  const { gate } = await context.store.settings();
  const protectedBy = newMatcher(gate.protected, { ignoresCase: true });
  const isProtected = (path: string): boolean => protectedBy(path) !== undefined;
  const risk = reviewRisk({ files, isProtected, weakened, receipts: readiness.receipts });
  return { weakened, risk };
}

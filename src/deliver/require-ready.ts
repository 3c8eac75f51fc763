// Whether a finished story's own code may be merged: all tasks done, and every gate passed on exactly this code.

import { SagaError } from "../errors.ts";
import { acceptCommand } from "../story/receipts/override.ts";
import type { MergeReadiness } from "../story/receipts/merge-readiness.ts";
import type { Receipt } from "../story/receipts/receipt.ts";
import { requireFinished } from "./require-finished.ts";
import { workReadiness, type StoryWork } from "./story-work.ts";

/** Throws unless the story's own code is ready to merge. Returns a person's approval, if there is one. */
export async function requireReady(work: StoryWork): Promise<Receipt | undefined> {
  const { story } = work.record;
  requireFinished(work, { what: `merge ${story.id}`, hint: await questionHint(work) });
  const readiness = await workReadiness(work);
  const refusal = mergeRefusal(story.id, readiness);
  if (refusal !== undefined) throw refusal;
  return readiness.receipts.findLast(({ gate }) => gate === "person");
}

/** Findings first: checks may be missing only because of them. */
export function mergeRefusal(
  id: string,
  { missing, mergeBlockers }: MergeReadiness,
): SagaError | undefined {
  if (mergeBlockers.length > 0) {
    const reasons = mergeBlockers.map(({ rule, message }) => `${rule}: ${message}`).join("\n  ");
    return new SagaError("not-ready", `Cannot merge ${id}: its gate refused it:\n  ${reasons}`, {
      hint: `Send it back with feedback: \`saga send-back ${id} "…"\`. Or accept it anyway, with a reason: \`${acceptCommand(id, mergeBlockers)}\`.`,
    });
  }
  if (missing.length === 0) return undefined;
  return new SagaError(
    "not-ready",
    `Cannot merge ${id}: its gate has not run on this code (${missing.join(", ")}).`,
    {
      hint: `Run the gate: \`saga run ${id}\`. Or run it and approve the story: \`saga accept ${id}\`.`,
    },
  );
}

/** Its open question, if that is why the story is unfinished. */
async function questionHint({ store, record }: StoryWork): Promise<string | undefined> {
  if (record.tasks.every(({ status }) => status === "completed")) return undefined;
  const { id } = record.story;
  const [question] = (await store.readJournal(id)).open;
  return (
    question &&
    `Its agent asks: ${question.title} Answer and continue: \`saga resolve ${id} "…" --run\`.`
  );
}

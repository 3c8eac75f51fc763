// Whether a finished story's own code may be merged: all tasks done, and every gate passed on exactly this code.

import { SagaError } from "../errors.ts";
import { acceptCommand } from "../story/receipts/override.ts";
import type { Receipt } from "../story/receipts/receipt.ts";
import { requireFinished } from "./finished.ts";
import { workReadiness, type StoryWork } from "./story-work.ts";

/** Throws unless the story's own code is ready to merge. Returns a person's approval, if there is one. */
export async function requireReady(work: StoryWork): Promise<Receipt | undefined> {
  const { story } = work.record;
  requireFinished(work, { what: `merge ${story.id}`, hint: await questionHint(work) });
  const { receipts, missing, mergeBlockers } = await workReadiness(work);
  // Findings first: checks may be missing only because of them.
  if (mergeBlockers.length > 0) {
    const reasons = mergeBlockers.map(({ rule, message }) => `${rule}: ${message}`).join("\n  ");
    throw new SagaError(
      "not-ready",
      `Cannot merge ${story.id}: its gate refused it:\n  ${reasons}`,
      {
        hint: `Send it back with feedback: \`saga send-back ${story.id} "…"\`. Or accept it anyway, with a reason: \`${acceptCommand(story.id, mergeBlockers)}\`.`,
      },
    );
  }
  if (missing.length > 0) {
    throw new SagaError(
      "not-ready",
      `Cannot merge ${story.id}: its gate has not run on this code (${missing.join(", ")}).`,
      {
        hint: `Run the gate: \`saga run ${story.id}\`. Or run it and approve the story: \`saga accept ${story.id}\`.`,
      },
    );
  }
  return receipts.findLast(({ gate }) => gate === "person");
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

// Work that a person wants different: the agent that did it goes on in its conversation.

import type { Bill } from "../../claude/messages.ts";
import type { Run } from "../../story/state/run.ts";
import type { PlacedWork } from "../work.ts";

/** The one that a person has looked at the result of, when they want it different and nobody began since. */
export async function reworkedConversation(work: PlacedWork): Promise<string | undefined> {
  const { around, order, meter } = work;
  const { entries } = await around.store.readJournal(order.storyId);
  const said = entries.findLast(({ kind }) => kind === "feedback");
  if (said === undefined) return undefined;
  const runs = await around.store.listRuns(order.storyId);
  const last = runs.find(({ cycles }) => cycles > 0);
  const isNews = last?.endedAt !== undefined && last.endedAt < said.at;
  if (!isNews || last.conversation === undefined) return undefined;
  // What it has cost so far is in its next bill again.
  const bill = await lastBill(work, last.conversation, runs);
  if (bill) meter.paidBefore(last.conversation, bill);
  return last.conversation;
}

/** What a run has cost is no answer: it may have had several conversations, or only the end of this one. */
async function lastBill(
  { around, order }: PlacedWork,
  conversation: string,
  runs: readonly Run[],
): Promise<Bill | undefined> {
  for (const { id } of runs.filter((run) => run.conversation === conversation)) {
    const { events } = await around.store.readEvents(order.storyId, id);
    let [heard, bill]: [unknown, Bill | undefined] = [undefined, undefined];
    for (const event of events) {
      if (event.type === "agent.started") heard = event["conversation"];
      if (event.type !== "agent.billed" || heard !== conversation) continue;
      const { costUsd, inputTokens, outputTokens } = event as unknown as Bill;
      bill = { costUsd, inputTokens, outputTokens, byModel: {} };
    }
    if (bill) return bill;
  }
  return undefined;
}

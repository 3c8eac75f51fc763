// Work that a person sent back: its agent continues in the same conversation.

import type { Bill } from "../../agent/agent.ts";
import type { Run, RunEvent } from "../../story/state/run.ts";
import type { PreparedWork } from "../context.ts";

/** The conversation of the last run, if a person sent its work back and no agent has run since. */
export async function sentBackConversation(work: PreparedWork): Promise<string | undefined> {
  const { context, request, meter } = work;
  const { entries } = await context.store.readJournal(request.storyId);
  const feedback = entries.findLast(({ kind }) => kind === "feedback");
  if (feedback === undefined) return undefined;
  const runs = await context.store.listRuns(request.storyId);
  const conversation = conversationBefore(feedback.at, runs);
  if (conversation === undefined) return undefined;
  // The next bill of this conversation includes what was paid before.
  for (const { id } of runs.filter((run) => run.conversation === conversation)) {
    const { events } = await context.store.readEvents(request.storyId, id);
    const bill = lastBill(events, conversation);
    if (bill === undefined) continue;
    meter.paidBefore(conversation, bill);
    break;
  }
  return conversation;
}

/** Runs come newest first; one without a cycle never reached its agent. */
export function conversationBefore(feedbackAt: string, runs: readonly Run[]): string | undefined {
  const last = runs.find(({ cycles }) => cycles > 0);
  const hasEndedBefore = last?.endedAt !== undefined && last.endedAt < feedbackAt;
  return hasEndedBefore ? last.conversation : undefined;
}

/**
 * The last bill of this conversation in a run's events. The run's own cost does not replace it: a run may have had
 * several conversations, or only the end of this one.
 */
export function lastBill(events: readonly RunEvent[], conversation: string): Bill | undefined {
  let current: unknown;
  let bill: Bill | undefined;
  for (const event of events) {
    if (event.type === "agent.started") current = event["conversation"];
    if (event.type !== "agent.billed" || current !== conversation) continue;
    const { costUsd, inputTokens, outputTokens } = event as unknown as Bill;
    bill = { costUsd, inputTokens, outputTokens, byModel: {} };
  }
  return bill;
}

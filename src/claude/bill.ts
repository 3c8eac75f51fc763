import type { HeadlessEnd } from "./headless.ts";
import type { Bill } from "./messages.ts";
import type { Run } from "../story/run.ts";

/** The record of the worker's run, as far as it is about money. */
interface Account {
  readonly run: () => Pick<Run, "costUsd" | "inputTokens" | "outputTokens">;
  readonly update: (change: Partial<Run>) => void;
}

/**
 * Adds what an agent's run has cost to the worker's. A resumed conversation's bill holds what was paid
 * before: `bills` knows that, by conversation.
 */
export function charge(
  record: Account,
  bills: Map<string, Bill>,
  end: HeadlessEnd,
  resumed: string | undefined,
): void {
  const { conversation } = end;
  const before = resumed === undefined ? NOTHING : (bills.get(resumed) ?? NOTHING);
  const total = end.bill ?? {
    costUsd: before.costUsd,
    inputTokens: before.inputTokens + end.used.inputTokens,
    outputTokens: before.outputTokens + end.used.outputTokens,
  };
  if (conversation !== undefined) bills.set(conversation, total);
  const run = record.run();
  const more = (now: number, then: number): number => Math.max(0, now - then);
  record.update({
    costUsd: run.costUsd + more(total.costUsd, before.costUsd),
    inputTokens: run.inputTokens + more(total.inputTokens, before.inputTokens),
    outputTokens: run.outputTokens + more(total.outputTokens, before.outputTokens),
  });
}

const NOTHING: Bill = { costUsd: 0, inputTokens: 0, outputTokens: 0 };

export const budgetLeft = ({
  order,
  record,
}: {
  readonly order: { readonly maxCostUsd: number | undefined };
  readonly record: Pick<Account, "run">;
}): number | undefined =>
  order.maxCostUsd === undefined
    ? undefined
    : Math.max(order.maxCostUsd - record.run().costUsd, 0.0001);

// The limits of one start of a worker: agent runs, time and cost.

import { usd } from "../text/usd.ts";
import type { StoryEnd } from "./ending.ts";
import type { WorkRequest } from "./context.ts";

type Limits = Pick<WorkRequest, "maxCycles" | "maxMs" | "maxCostUsd" | "sharedReason">;

export const cycleLimit = ({ maxCycles }: Limits, cycles: number): StoryEnd | undefined =>
  cycles < maxCycles
    ? undefined
    : { outcome: "limit", limit: "cycles", reason: `Limit of agent runs reached (${maxCycles}).` };

interface Usage {
  readonly nowMs: number;
  readonly deadlineMs: number;
  readonly costUsd: number;
}

export function timeOrCostLimit(limits: Limits, usage: Usage): StoryEnd | undefined {
  if (usage.nowMs >= usage.deadlineMs) return timeLimit(limits);
  return usage.costUsd >= (limits.maxCostUsd ?? Infinity) ? costLimit(limits) : undefined;
}

export const timeLimit = ({ maxMs }: Limits): StoryEnd => ({
  outcome: "limit",
  limit: "time",
  reason: `Time limit reached (${maxMs / 60_000} min).`,
});

export const costLimit = ({ maxCostUsd = 0, sharedReason }: Limits): StoryEnd =>
  sharedReason === undefined
    ? { outcome: "limit", limit: "cost", reason: `Cost limit reached (${usd(maxCostUsd)}).` }
    : budgetLimit(sharedReason);

/** For a budget that is shared with others. */
export const budgetLimit = (reason: string): StoryEnd => ({
  outcome: "limit",
  limit: "budget",
  reason,
});

/** After an agent that was drained: by a budget that is shared with others, or at the story's own limit. */
export const endOverBudget = (
  { reason, isShared = false }: { readonly reason: string; readonly isShared?: boolean },
  limits: Limits,
): StoryEnd => (isShared ? budgetLimit(reason) : costLimit(limits));

/** The agent was drained: its work is committed, also that of an unfinished task. */
export const isSpent = ({ limit }: StoryEnd): boolean => limit === "cost" || limit === "budget";

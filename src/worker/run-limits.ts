// The limits of one start of a worker: agent runs, time and cost.

import { usd } from "../text/usd.ts";
import type { StoryEnd } from "./ending.ts";
import type { WorkRequest } from "./context.ts";

type Limits = Pick<WorkRequest, "maxCycles" | "maxMs" | "maxCostUsd">;

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

export const costLimit = ({ maxCostUsd = 0 }: Limits): StoryEnd => ({
  outcome: "limit",
  limit: "cost",
  reason: `Cost limit reached (${usd(maxCostUsd)}).`,
});

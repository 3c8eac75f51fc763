// The planning run of a worker: its place, its limits, and what it costs.

import {
  proposeSplit,
  type Planned,
  type PlanningRequest,
} from "../../agent/inspectors/propose-split.ts";
import type { Scope } from "../../agent/scope/scope.ts";
import { RUN_MARK, storyTaskList } from "../../story/definition/names.ts";
import { splitPrompt, type SplitRequest } from "../../story/prompts/split-prompt.ts";
import { eventOfCall } from "../../agent/describe-tool.ts";
import { environmentOfAgent } from "../agent/agent-env.ts";
import { budgetLeft, type CostMeter } from "../../agent/cost.ts";
import type { Work } from "../work.ts";

export interface PlanningPlace {
  /** The story's worktree, or the project when there is none. */
  readonly scope: Scope;
  readonly meter: CostMeter;
  readonly ports: Readonly<Record<string, string>>;
}

export async function planSplit(
  work: Work,
  { scope, meter, ports }: PlanningPlace,
  question: SplitRequest,
  judge: PlanningRequest["judge"],
): Promise<Planned> {
  const { order, around, settings, record } = work;
  const { planMinutes, planCost } = settings.watch;
  // A name of its own: it has no business with the story's list.
  const taskListId = storyTaskList(order.storyId, around.now());
  const folder = scope.worktree;
  const { planned } = await proposeSplit({
    claude: around.claude,
    cwd: folder,
    env: environmentOfAgent(work, { taskListId, folder, ports }),
    mark: [RUN_MARK, record.run().id],
    taskListId,
    prompt: splitPrompt(question),
    model: order.model,
    maxCostUsd: Math.min(planCost, budgetLeft(work) ?? planCost),
    meter: meter.start(undefined),
    scope,
    judge,
    timeoutMs: planMinutes * 60_000,
    onStart: record.agentStarted,
    onEvent: record.note,
    onTool: (call, verdict) => record.note(eventOfCall(call, verdict, folder)),
    stop: around.stop,
  });
  return planned;
}

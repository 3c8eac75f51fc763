// A worker's planning run: where it works, its limits and its cost.

import {
  proposeSplit,
  type Planned,
  type PlanningRequest,
} from "../../agent/inspectors/propose-split.ts";
import type { Scope } from "../../agent/scope/scope.ts";
import { RUN_MARK, storyTaskList } from "../../story/definition/names.ts";
import { splitPrompt, type SplitRequest } from "../../story/prompts/split-prompt.ts";
import { toolCallEvent } from "../../agent/describe-tool.ts";
import { storyAgentEnvironment } from "../agent/agent-env.ts";
import { budgetLeft, type CostMeter } from "../../agent/cost.ts";
import type { Work } from "../context.ts";

export interface PlanningPlace {
  /** Of the story's worktree, or of the project if the story has none. */
  readonly scope: Scope;
  readonly meter: CostMeter;
  readonly ports: Readonly<Record<string, string>>;
}

export async function planSplit(
  work: Work,
  { scope, meter, ports }: PlanningPlace,
  request: SplitRequest,
  judge: PlanningRequest["judge"],
): Promise<Planned> {
  const { context, settings, record } = work;
  const { storyId, model } = work.request;
  const { planMinutes, planCost } = settings.watch;
  // Not the story's list: the planning run has no tasks.
  const taskListId = storyTaskList(storyId, context.now());
  const folder = scope.worktree;
  const { planned } = await proposeSplit({
    claude: context.claude,
    cwd: folder,
    env: storyAgentEnvironment(work, { taskListId, folder, ports }),
    mark: [RUN_MARK, record.run().id],
    taskListId,
    prompt: splitPrompt(request),
    model,
    maxCostUsd: Math.min(planCost, budgetLeft(work) ?? planCost),
    meter: meter.start(undefined),
    scope,
    judge,
    timeoutMs: planMinutes * 60_000,
    onStart: record.agentStarted,
    onEvent: record.note,
    onTool: (call, verdict) => record.note(toolCallEvent(call, verdict, folder)),
    stop: context.stop,
  });
  return planned;
}

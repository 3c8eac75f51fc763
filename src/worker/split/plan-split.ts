// A worker's planning run: where it works, its limits and its cost.

import {
  proposeSplit,
  type Planned,
  type PlanningRequest,
} from "../../agent/inspectors/propose-split.ts";
import type { Scope } from "../../agent/scope/scope.ts";
import { storyTaskList } from "../../story/definition/names.ts";
import { splitPrompt, type SplitRequest } from "../../story/prompts/split-prompt.ts";
import { storyEmployer, storyVariables } from "../agent/employer.ts";
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
  const { context } = work;
  const { storyId, model } = work.request;
  const { planMinutes, planCost } = context.settings.watch;
  // Not the story's list: the planning run has no tasks.
  const taskListId = storyTaskList(storyId, context.now());
  return proposeSplit(storyEmployer(work, meter), {
    worktreeOf: scope.project,
    taskListId,
    variables: storyVariables(work, { taskListId, folder: scope.worktree, ports }),
    prompt: splitPrompt(request),
    model,
    timeoutMs: planMinutes * 60_000,
    maxCostUsd: Math.min(planCost, budgetLeft(work) ?? planCost),
    scope,
    judge,
  });
}

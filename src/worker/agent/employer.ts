// What all agent runs of a worker share.

import type { CostMeter } from "../../agent/cost.ts";
import type { Employer } from "../../agent/job.ts";
import { agentScope, agentVariables } from "../../agent/place/agent-place.ts";
import type { Scope } from "../../agent/scope/scope.ts";
import type { PreparedWork, Work } from "../context.ts";

export const storyEmployer = ({ context, record }: Work, meter: CostMeter): Employer => ({
  agent: context.agent,
  env: context.env,
  now: context.now,
  stop: context.stop,
  settings: context.settings,
  record,
  meter,
  budget: context.budget,
});

/** What an agent of this worker may touch when it works in this folder. */
export const storyAgentScope = (
  { repository, request, readable, context }: PreparedWork,
  folder: string,
): Scope =>
  agentScope({
    ...context,
    project: repository.project,
    storyId: request.storyId,
    folder,
    readable,
  });

/** The variables that name the story, for an agent of this worker. */
export const storyVariables = (
  { request, context }: Work,
  place: Pick<Parameters<typeof agentVariables>[0], "taskListId" | "folder" | "ports">,
): Record<string, string> =>
  agentVariables({ storyId: request.storyId, sessionDir: context.sessionDir, ...place });

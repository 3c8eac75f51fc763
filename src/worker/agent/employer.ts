// What all agent runs of a worker share.

import type { CostMeter } from "../../agent/cost.ts";
import type { Employer } from "../../agent/job.ts";
import { environmentOfStory } from "../../story/definition/names.ts";
import type { Work } from "../context.ts";

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

interface AgentFolder {
  readonly taskListId: string;
  /** The folder that the agent works in. */
  readonly folder: string;
  /** Environment variables with the story's ports, such as SAGA_PORT. */
  readonly ports: Readonly<Record<string, string>>;
}

/** The variables that name the story, for an agent of this worker. */
export const storyVariables = (
  { request, context }: Work,
  { taskListId, folder, ports }: AgentFolder,
): Record<string, string> => ({
  ...environmentOfStory({
    storyId: request.storyId,
    taskListId,
    projectDir: folder,
    sessionDir: context.sessionDir,
  }),
  ...ports,
});

// Runs a stage's story with the line agent instead of Claude Code, in this process: for tests of what comes after the
// run, at a tenth of its cost.

import { join } from "node:path";
import { stepsOfTask } from "../../src/rehearsal/steps.ts";
import { workOnStory } from "../../src/worker/worker.ts";
import type { WorkerResult } from "../../src/worker/steps/run-record.ts";
import { lineAgent, type LineAgent, type LineSteps } from "./line-agent.ts";
import { STORY, type Stage, type StageOptions } from "./stage.ts";

export const workInLines = async (
  stage: Stage,
  does: LineSteps | LineAgent,
  { maxCycles = 5, maxCostUsd }: { readonly maxCycles?: number; readonly maxCostUsd?: number } = {},
): Promise<WorkerResult> =>
  workOnStory(
    {
      storyId: STORY,
      maxCycles,
      maxMs: 60_000,
      maxCostUsd,
      model: "line-model",
      session: undefined,
      outputFile: undefined,
    },
    {
      store: stage.store,
      settings: await stage.store.settings(),
      env: stage.env,
      agent: isAgent(does) ? does : lineAgent(does),
      sessionDir: join(stage.home, "sessions"),
      now: Date.now,
      print: () => undefined,
      stop: new AbortController().signal,
      isStopWanted: () => true,
    },
  );

const isAgent = (does: LineSteps | LineAgent): does is LineAgent => "runs" in does;

/** What the scripted model would do for these tasks. Undefined if the line agent cannot do it: it only writes files. */
export function lineStepsOf(
  taskIds: readonly string[],
  { script, steps = {} }: StageOptions,
): LineSteps | undefined {
  if (script !== undefined) return undefined;
  const entries = taskIds.map((id) => [id, stepsOfTask(id, steps[id]).map(toLine)] as const);
  const isPossible = entries.every(([, own]) => own.every((step) => step !== undefined));
  return isPossible ? (Object.fromEntries(entries) as LineSteps) : undefined;
}

function toLine(
  step: ReturnType<typeof stepsOfTask>[number],
): LineSteps[string][number] | undefined {
  if (step.tool !== "Write") return undefined;
  const { file_path: path, content: text } = step.input as Record<string, string>;
  return path === undefined || text === undefined ? undefined : { do: "write", path, text };
}

// A stage with a finished story, for tests of what comes next.

import { expect } from "vitest";
import type { RunOutcome } from "../../src/story/state/state.ts";
import { lineStepsOf, workInLines } from "./line-work.ts";
import { aTask, type CommandOutput } from "./project.ts";
import { newStage, type Stage, type StageOptions } from "./stage.ts";

export const ONE_TASK = [aTask("form")];

/** In this process, where coverage sees it. */
export const saga = (stage: Stage, ...words: string[]): Promise<CommandOutput> =>
  stage.sagaWithEnv(stage.env, ...words);

/** Done, with a passed gate; the person's checkout is clean and on another branch. */
export const finishedStage = (options: StageOptions = {}): Promise<Stage> =>
  workedStage(0, options);

/** The same with another outcome. */
export async function workedStage(exitCode: number, options: StageOptions = {}): Promise<Stage> {
  const given = { tasks: ONE_TASK, ...options };
  const stage = await newStage(given);
  await workWithoutClaude(stage, exitCode, given);
  return elsewhere(stage);
}

/** Does what the scripted model would do, without Claude Code where that is possible. */
export async function workWithoutClaude(
  stage: Stage,
  exitCode: number,
  { tasks = ONE_TASK, ...options }: StageOptions = {},
): Promise<void> {
  const steps = lineStepsOf(
    tasks.map(({ id }) => String(id)),
    options,
  );
  if (steps === undefined) return work(stage, exitCode);
  const ended = await workInLines(stage, steps);
  expect(ended.outcome, ended.reason).toBe(OUTCOMES[exitCode]);
}

const OUTCOMES: Readonly<Record<number, RunOutcome>> = {
  0: "done",
  1: "failed",
  2: "limit",
  3: "blocked",
  5: "push-failed",
};

/** Finished with Claude Code, for tests in which Claude Code continues its conversation. */
export async function finishedByClaude(): Promise<Stage> {
  const stage = await newStage({ tasks: ONE_TASK });
  await work(stage, 0);
  return elsewhere(stage);
}

function elsewhere(stage: Stage): Stage {
  stage.git("switch", "--quiet", "--create", "elsewhere");
  return stage;
}

export async function work(stage: Stage, exitCode: number): Promise<void> {
  const ended = await stage.work();
  expect(ended.exitCode, ended.stdout).toBe(exitCode);
}

// A stage with a finished story, for tests of what comes next.

import { expect } from "vitest";
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
  const stage = await newStage({ tasks: ONE_TASK, ...options });
  await work(stage, exitCode);
  stage.git("switch", "--quiet", "--create", "elsewhere");
  return stage;
}

export async function work(stage: Stage, exitCode: number): Promise<void> {
  const ended = await stage.work();
  expect(ended.exitCode, ended.stdout).toBe(exitCode);
}

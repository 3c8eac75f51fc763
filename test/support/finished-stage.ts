// A stage whose story has been worked on to its end, for what comes after that.

import { expect } from "vitest";
import { aTask, type Spoken } from "./project.ts";
import { newStage, type Stage, type StageOptions } from "./stage.ts";

export const ONE_TASK = [aTask("form")];

/** In this process, where coverage sees it. */
export const saga = (stage: Stage, ...words: string[]): Promise<Spoken> =>
  stage.sagaWithEnv(stage.env, ...words);

/** Done and past its gate; the person's checkout is clean, and has another branch out. */
export const finishedStage = (options: StageOptions = {}): Promise<Stage> =>
  workedStage(0, options);

/** The same with another end. */
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

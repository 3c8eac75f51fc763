// A story whose worker was killed in the middle of its second task.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { expectNothingLeft, follows, newStage, STORY, type Stage } from "./stage.ts";
import { becomesTrue } from "./until.ts";

/** Half a change, and no end. */
const SLOWLY = "echo $$ > half.txt; while :; do sleep 0.1; done";

export interface Crashed extends Stage {
  /** The process of the agent's shell. */
  readonly shell: number;
  /** From now on the agent can finish. */
  readonly hurry: () => void;
}

/** The first task is committed, the second one is half done; then worker and tmux server are killed. */
export async function crashed(): Promise<Crashed> {
  let isSlow = true;
  const [slow, quick] = [follows({ page: [{ run: SLOWLY }] }), follows()];
  const stage = await newStage({ script: (turn) => (isSlow ? slow : quick)(turn) });
  const started = await stage.run("run", STORY);
  expect(started.exitCode, started.stderr).toBe(0);
  const pidFile = join(stage.worktree, "half.txt");
  await becomesTrue(
    "the agent is at work",
    () => existsSync(pidFile) && readFileSync(pidFile).length > 0,
  );
  const shell = Number(readFileSync(pidFile, "utf8"));
  const [run] = await stage.store.listRuns(STORY);
  process.kill(run?.worker?.pid ?? 0, "SIGKILL");
  try {
    execFileSync("tmux", ["kill-server"], { env: stage.env, stdio: "ignore" });
  } catch {
    // It went with its last session.
  }
  await becomesTrue("its end is seen", async () => (await stateOf(stage)) === "killed");
  return { ...stage, shell, hurry: () => (isSlow = false) };
}

export const stateOf = async (stage: Stage): Promise<string> =>
  (await stage.store.viewStory(STORY)).state;

export async function expectFinished(stage: Stage): Promise<void> {
  await becomesTrue("it is finished", async () => (await stateOf(stage)) === "review");
  expect(stage.commits()).toEqual(["form", "page"]);
  await becomesTrue("the session is gone", () => stage.sessions().length === 0);
  await stage.run("clean");
  await expectNothingLeft(stage);
}

// A check runs once on the same code: from then on, Saga's own receipt replaces the run.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ONE_TASK, saga, work } from "../support/finished-stage.ts";
import { newFolder } from "../support/project.ts";
import { newStage, STORY, type Stage } from "../support/stage.ts";

async function newLoggedStage(config: string): Promise<{ stage: Stage; runs: () => number }> {
  const folder = newFolder("project");
  const log = join(folder.path, "../suite.log");
  writeFileSync(log, "");
  const stage = await newStage({
    folder,
    tasks: ONE_TASK,
    config,
    story: { checks: [`echo run >> '${log}'`] },
    steps: { rework: [{ decide: "Nothing to change", because: "It is right." }] },
  });
  return { stage, runs: () => readFileSync(log, "utf8").split("\n").length - 1 };
}

/** The gate passes, a person sends the story back, its agent changes nothing, and it is accepted and merged. */
async function finishTwiceAndMerge(stage: Stage): Promise<void> {
  await work(stage, 0);
  stage.git("switch", "--quiet", "--create", "elsewhere");
  expect((await saga(stage, "reject", STORY, "Is this right?")).exitCode).toBe(0);
  await work(stage, 0);
  expect((await saga(stage, "accept", STORY)).exitCode).toBe(0);
  expect((await saga(stage, "merge", STORY, "--json")).json()).toMatchObject({ kind: "merged" });
}

it("a check runs once for the worker, a second run of the same code, and the merge into an unchanged target", async () => {
  const { stage, runs } = await newLoggedStage("");
  await finishTwiceAndMerge(stage);
  expect(runs()).toBe(1);
});

it("each of them runs it if checks depend on more than the code", async () => {
  const { stage, runs } = await newLoggedStage("[gate]\nreuse_receipts = false\n");
  await finishTwiceAndMerge(stage);
  expect(runs()).toBe(3);
});

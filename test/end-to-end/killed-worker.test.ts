// What a worker leaves that was killed outright, and what the next one makes of it.

import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { expectNothingLeft, follows, newStage, STORY } from "../support/stage.ts";

it("the next run deletes the session's file and uses the worktree; the log shows where the worker was killed", async () => {
  const scriptedAgent = follows();
  let hangs = true;
  let turns = 0;
  const stage = await newStage({
    script: (turn) => {
      turns++;
      return hangs && turns > 2 ? { kind: "hang" } : scriptedAgent(turn);
    },
  });
  await stage.run("run", STORY);
  await expect.poll(() => turns).toBeGreaterThan(2);
  const [killed] = await stage.store.listRuns(STORY);
  process.kill(killed?.worker?.pid ?? 0, "SIGKILL");
  const outputFile = killed?.outputFile ?? "";
  expect(existsSync(outputFile)).toBe(true);
  const log = await stage.run("logs", STORY);
  expect(log.stdout.trimEnd().split("\n").at(-1)).toMatch(
    /killed +The worker was killed; this is the end of its log/,
  );

  hangs = false;
  const ended = await stage.work();
  expect(ended.exitCode, ended.stdout).toBe(0);
  expect(ended.stdout).toContain("worktree already exists");
  expect(existsSync(outputFile)).toBe(false);
  expect((await stage.events("run.killed")).map(({ type }) => type)).toEqual(["run.killed"]);
  await expectNothingLeft(stage);
});

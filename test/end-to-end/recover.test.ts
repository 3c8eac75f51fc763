import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startTimeOf } from "../../src/machine/processes/process-id.ts";
import { crashed, expectFinished, stateOf } from "../support/crashed-stage.ts";
import { everythingIn } from "../support/in-flight.ts";
import { expectNothingLeft, STORY, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";
import { expectExit } from "../support/expect-exit.ts";

const snapshotOf = (stage: Stage): Record<string, string> =>
  everythingIn({ gitIn: (folder, ...args) => stage.git("-C", folder, ...args) }, stage.worktree);

it("reports the facts after a crash, and resumes nothing automatically", async () => {
  const stage = await crashed();
  const turns = stage.model.turns();
  // The agent ends with its worker, and all that it has started.
  await until(async () => {
    const facts = JSON.parse((await stage.run("recover", "--json")).stdout) as {
      stories: { leftovers: { processes: number[] } }[];
    };
    return facts.stories[0]?.leftovers.processes.length === 0;
  });
  expect(startTimeOf(stage.shell)).toBeUndefined();
  const { stdout } = await stage.run("recover");
  expect(stdout).toContain(`Story ${STORY} is unfinished: its last run ended early.`);
  expect(stdout).toMatch(/The worktree \.saga\/worktrees\/add-login has uncommitted changes/);
  expect(stdout).toMatch(/tasks +1 of 2 tasks completed/);
  expect(stdout).toMatch(/last run +killed; last activity \d+ s ago/);
  expect(stdout).toMatch(/left over +1 task list/);

  expect((await stage.run("list")).stdout).toContain("1 unfinished story without a worker");
  expect((await stage.run("status")).stdout).toContain(`saga resume ${STORY}`);
  expect((await stage.run("show", STORY)).stdout).toContain(`saga discard ${STORY}`);
  expect(await stage.store.listRuns(STORY)).toHaveLength(1);
  expect(stage.model.turns()).toBe(turns);
  expect(stage.sessions()).toEqual([]);
  expect(await stateOf(stage)).toBe("killed");
});

it("continues where it was, and does nothing twice", async () => {
  const stage = await crashed();
  stage.hurry();
  const resumed = await expectExit(0, stage.run("resume", STORY, "--json"));
  expect(JSON.parse(resumed.stdout)).toMatchObject({ story: STORY });
  await expectFinished(stage);
  expect(startTimeOf(stage.shell)).toBeUndefined();
  expect((await stage.events("task.committed")).map(({ task }) => task)).toEqual(["form", "page"]);
  expect(readFileSync(join(stage.worktree, "half.txt"), "utf8")).toBe(`${stage.shell}\n`);
  const again = await stage.run("resume", STORY);
  expect(again.stderr).toContain("waits for a review");
});

it("is discarded completely, restored byte for byte, and finished then", async () => {
  const stage = await crashed();
  // What a killed agent leaves is not at rest before it has ended.
  await stage.run("stop", STORY);
  const before = snapshotOf(stage);
  const discarded = await expectExit(0, stage.run("discard", STORY, "--yes", "--json"));
  const { snapshot, pullRequest } = JSON.parse(discarded.stdout) as {
    snapshot: number;
    pullRequest: string;
  };
  expect(pullRequest).toBe("local/1");
  expect(existsSync(stage.worktree)).toBe(false);
  expect(stage.git("branch", "--list", "story/*")).toBe("");
  expect(await stateOf(stage)).toBe("ready");
  expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
  await stage.run("clean");
  await expectNothingLeft(stage);

  await expectExit(0, stage.run("keep", "restore", STORY, String(snapshot)));
  expect(snapshotOf(stage)).toEqual(before);
  expect(await stage.statuses()).toEqual({ form: "completed", page: "pending" });
  stage.hurry();
  await expectExit(0, stage.run("resume", STORY, "--foreground"));
  expect(stage.commits()).toEqual(["form", "page"]);
});

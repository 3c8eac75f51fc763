import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startTimeOf } from "../../src/machine/processes/process-id.ts";
import { RUN_MARK } from "../../src/story/definition/names.ts";
import { crashed, expectFinished } from "../support/crashed-stage.ts";
import { builtSaga } from "../support/programs.ts";
import { newStage, STORY } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

it("is resumed automatically after a crash if the settings say so, without a notification", async () => {
  const stage = await crashed();
  const notices = '[notices]\ncommand = "touch ../called"\n';
  stage.write(".saga/config.toml", `[recover]\nresume = true\n${notices}`);
  stage.hurry();
  const recovered = await stage.run("recover", "--json");
  expect(JSON.parse(recovered.stdout)).toMatchObject({
    inFlight: [STORY],
    resumed: [{ story: STORY, session: expect.stringContaining(`saga-story-${STORY}-`) as string }],
  });
  expect(existsSync(join(stage.path, "../called"))).toBe(false);
  await expectFinished(stage);
});

it("does not resume a stopped story, whatever the settings say", async () => {
  const stage = await crashed();
  await stage.run("stop", STORY);
  stage.write(".saga/config.toml", "[recover]\nresume = true\n");
  const turns = stage.model.turns();
  const recovered = await stage.run("recover", "--json");
  expect(JSON.parse(recovered.stdout)).toMatchObject({ inFlight: [STORY], resumed: [] });
  expect(stage.sessions()).toEqual([]);
  expect(stage.model.turns()).toBe(turns);
});

it("resumes all of them", async () => {
  const stage = await crashed();
  stage.hurry();
  const resumed = await expectExit(0, stage.run("resume", "--all"));
  expect(resumed.stdout).toContain(`Resumed ${STORY}.`);
  await expectFinished(stage);
});

it("is discarded with its dead worker's processes, and starts over", async () => {
  const stage = await crashed();
  const [run] = await stage.store.listRuns(STORY);
  // Contained processes end with their worker. This one has only the run's mark.
  const outside = spawn("sleep", ["600"], { env: { ...stage.env, [RUN_MARK]: run?.id ?? "" } });
  await once(outside, "spawn");
  const discarded = await expectExit(0, stage.run("discard", STORY, "--yes"));
  expect(discarded.stdout).toMatch(/ended +\d+ process/);
  expect([outside.exitCode, outside.signalCode]).toEqual([null, "SIGTERM"]);
  expect(startTimeOf(stage.shell)).toBeUndefined();
  expect(stage.processes()).toEqual([]);
  stage.hurry();
  await expectExit(0, stage.run("run", STORY, "--foreground"));
  expect(stage.commits()).toEqual(["form", "page"]);
  expect(existsSync(join(stage.worktree, "half.txt"))).toBe(false);
  const epics = stage.json(".saga/epics.json") as { stories: { id: string; state: string }[] };
  expect(epics.stories).toMatchObject([{ id: STORY, state: "running" }]);
});

it("continues from the branch when the worktree was removed by hand", async () => {
  const stage = await crashed();
  await stage.run("stop", STORY);
  rmSync(stage.worktree, { recursive: true });
  const { stdout } = await stage.run("recover");
  expect(stdout).toMatch(/is missing; its branch story\/add-login has \d+ unmerged commits/);
  stage.hurry();
  expect((await stage.run("resume", STORY)).exitCode).toBe(0);
  await expectFinished(stage);
  expect((await stage.events("task.committed")).map(({ task }) => task)).toEqual(["form", "page"]);
});

it("continues after the branch was deleted by hand, with the command it names", async () => {
  const stage = await crashed();
  await stage.run("stop", STORY);
  const tip = stage.git("rev-parse", `story/${STORY}`);
  stage.git("update-ref", "-d", `refs/heads/story/${STORY}`);
  expect((await stage.run("recover")).stdout).toContain(`its last commit was ${tip.slice(0, 10)}`);
  const refused = await expectExit(1, stage.run("resume", STORY));
  const command = `git update-ref refs/heads/story/${STORY} ${tip}`;
  expect(refused.stderr).toContain(command);
  execFileSync("sh", ["-c", command], { cwd: stage.path, env: stage.env });
  stage.hurry();
  expect((await stage.run("resume", STORY)).exitCode).toBe(0);
  await expectFinished(stage);
});

it("asks a person at a terminal, and does nothing without an answer", async () => {
  const stage = await newStage();
  await stage.work("--max-cost", "0.004");
  writeFileSync(join(stage.worktree, "mine.txt"), "mine\n");
  const typed = (text: string): string =>
    execFileSync("script", ["--quiet", "--return", "--command", command(), "/dev/null"], {
      cwd: stage.path,
      env: { ...stage.env, TERM: "dumb" },
      input: text,
      encoding: "utf8",
    });
  const command = (): string => `"$SAGA_NODE" "$SAGA_MAIN" discard ${STORY} || true`;
  Object.assign(stage.env, { SAGA_NODE: process.execPath, SAGA_MAIN: builtSaga });
  expect(typed("n\n")).toContain("Nothing was discarded.");
  expect(typed("\u0004")).toContain("Nothing was discarded.");
  expect(existsSync(join(stage.worktree, "mine.txt"))).toBe(true);
  expect(typed("y\n")).toContain("Discarded the work on");
  expect(existsSync(stage.worktree)).toBe(false);
});

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startTimeOf } from "../../src/machine/processes/process-id.ts";
import { everythingIn } from "../support/in-flight.ts";
import { builtSaga } from "../support/programs.ts";
import { expectNothingLeft, follows, newStage, STORY, type Stage } from "../support/stage.ts";
import { comesToPass, until } from "../support/until.ts";

/** Half a change, and no end. */
const SLOWLY = "echo $$ > half.txt; while :; do sleep 0.1; done";

interface Crashed extends Stage {
  /** The process of the agent's shell. */
  readonly shell: number;
  /** From now on the agent comes to its end. */
  readonly hurry: () => void;
}

/** The first task is committed, the second one is half done; then worker and tmux server are killed. */
async function crashed(): Promise<Crashed> {
  let isSlow = true;
  const [slow, quick] = [follows({ page: [{ run: SLOWLY }] }), follows()];
  const stage = await newStage({ script: (turn) => (isSlow ? slow : quick)(turn) });
  const started = await stage.run("run", STORY);
  expect(started.exitCode, started.stderr).toBe(0);
  const pidFile = join(stage.worktree, "half.txt");
  await comesToPass(
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
  await comesToPass("its end is seen", async () => (await stateOf(stage)) === "killed");
  return { ...stage, shell, hurry: () => (isSlow = false) };
}

const stateOf = async (stage: Stage): Promise<string> => (await stage.store.viewStory(STORY)).state;

const snapshotOf = (stage: Stage): Record<string, string> =>
  everythingIn({ gitIn: (folder, ...args) => stage.git("-C", folder, ...args) }, stage.worktree);

async function expectFinished(stage: Stage): Promise<void> {
  await comesToPass("it is finished", async () => (await stateOf(stage)) === "review");
  expect(stage.commits()).toEqual(["form", "page"]);
  await comesToPass("the session is gone", () => stage.sessions().length === 0);
  await stage.run("clean");
  await expectNothingLeft(stage);
}

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
  const resumed = await stage.run("resume", STORY, "--json");
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ story: STORY });
  await expectFinished(stage);
  expect(startTimeOf(stage.shell)).toBeUndefined();
  expect((await stage.events("task.committed")).map(({ task }) => task)).toEqual(["form", "page"]);
  expect(readFileSync(join(stage.worktree, "half.txt"), "utf8")).toBe(`${stage.shell}\n`);
  const again = await stage.run("resume", STORY);
  expect(again.stderr).toContain("waits for a review");
});

it("resumes all of them", async () => {
  const stage = await crashed();
  stage.hurry();
  const resumed = await stage.run("resume", "--all");
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  expect(resumed.stdout).toContain(`Resumed ${STORY}.`);
  await expectFinished(stage);
});

it("is discarded completely, restored byte for byte, and finished then", async () => {
  const stage = await crashed();
  // What a killed agent leaves is not at rest before it has ended.
  await stage.run("stop", STORY);
  const before = snapshotOf(stage);
  const discarded = await stage.run("discard", STORY, "--yes", "--json");
  expect(discarded.exitCode, discarded.stderr).toBe(0);
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

  const restored = await stage.run("keep", "restore", STORY, String(snapshot));
  expect(restored.exitCode, restored.stderr).toBe(0);
  expect(snapshotOf(stage)).toEqual(before);
  expect(await stage.statuses()).toEqual({ form: "completed", page: "pending" });
  stage.hurry();
  const resumed = await stage.run("resume", STORY, "--foreground");
  expect(resumed.exitCode, resumed.stdout + resumed.stderr).toBe(0);
  expect(stage.commits()).toEqual(["form", "page"]);
});

it("is discarded with its dead worker's processes, and starts over", async () => {
  const stage = await crashed();
  const discarded = await stage.run("discard", STORY, "--yes");
  expect(discarded.exitCode, discarded.stderr).toBe(0);
  // Contained processes may be gone before the command looks: what counts is that none is left.
  expect(startTimeOf(stage.shell)).toBeUndefined();
  expect(stage.processes()).toEqual([]);
  stage.hurry();
  const anew = await stage.run("run", STORY, "--foreground");
  expect(anew.exitCode, anew.stdout + anew.stderr).toBe(0);
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
  const refused = await stage.run("resume", STORY);
  expect(refused.exitCode).toBe(1);
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

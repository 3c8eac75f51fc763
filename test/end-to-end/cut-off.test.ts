// A worker that ends unexpectedly: its session, its tmux server or the machine goes down. It ends in
// order, and counts as in flight all the same.

import { execFileSync, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/story/state/run.ts";
import { expectNothingLeft, follows, newStage, STORY, type Stage } from "../support/stage.ts";

const NOTICES = '[notices]\ncommand = "echo $SAGA_NOTICE_KIND >> ../notices"\n';
const RESUMES = "[recover]\nresume = true\n";

interface AtWork extends Stage {
  /** From now on the agent can finish. */
  readonly hurry: () => void;
  readonly lastRun: () => Promise<Run | undefined>;
  readonly untilEnded: () => Promise<Run>;
  readonly notices: () => string;
}

/** Its agent is in the middle of the first task, in a session. */
async function atWork(config: string): Promise<AtWork> {
  let isSlow = true;
  const [slow, quick] = [
    follows({ form: [{ run: "echo half > half.txt; while :; do sleep 0.1; done" }] }),
    follows(),
  ];
  const stage = await newStage({ config, script: (turn) => (isSlow ? slow : quick)(turn) });
  const lastRun = async (): Promise<Run | undefined> => (await stage.store.listRuns(STORY))[0];
  const started = await stage.run("run", STORY);
  expect(started.exitCode, started.stderr).toBe(0);
  const half = join(stage.worktree, "half.txt");
  await expect.poll(() => existsSync(half)).toBe(true);
  return {
    ...stage,
    lastRun,
    hurry: () => (isSlow = false),
    async untilEnded() {
      await expect.poll(async () => (await lastRun())?.endedAt).toBeDefined();
      await expect.poll(stage.processes).toEqual([]);
      return (await lastRun()) as Run;
    },
    notices: () => (existsSync(join(stage.path, "../notices")) ? stage.read("../notices") : ""),
  };
}

const killServer = ({ env }: Stage): void => void execFileSync("tmux", ["kill-server"], { env });

const recover = async (stage: Stage): Promise<{ resumed: unknown[] }> =>
  JSON.parse((await stage.run("recover", "--json")).stdout) as { resumed: unknown[] };

describe("a worker whose tmux server ended", () => {
  it("shuts down cleanly, is killed, and causes one notification", async () => {
    const stage = await atWork(NOTICES);
    killServer(stage);
    expect(await stage.untilEnded()).toMatchObject({
      outcome: "killed",
      reason: "Its worker was killed: its session ended or the machine shut down.",
    });
    expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
    await expectNothingLeft(stage);
    expect((await stage.store.viewStory(STORY)).state).toBe("killed");
    const { stdout } = await stage.run("recover");
    expect(stdout).toMatch(/last run +killed \d+ s ago/);
    for (const command of ["list", "status", "recover"]) await stage.run(command);
    expect(stage.notices()).toBe("killed\n");
    expect(stage.sessions()).toEqual([]);
  });

  it("is resumed automatically if the settings say so, without a notification", async () => {
    const stage = await atWork(RESUMES + NOTICES);
    killServer(stage);
    await stage.untilEnded();
    stage.hurry();
    expect(await recover(stage)).toMatchObject({ resumed: [{ story: STORY }] });
    await expect.poll(async () => (await stage.store.viewStory(STORY)).state).toBe("review");
    expect(stage.commits()).toEqual(["form", "page"]);
    await expect.poll(stage.notices).toBe("review\n");
  });

  it("is not resumed if a person stops it afterwards", async () => {
    const stage = await atWork(RESUMES + NOTICES);
    killServer(stage);
    await stage.untilEnded();
    await stage.run("stop", STORY);
    expect(await recover(stage)).toMatchObject({ resumed: [] });
    expect(stage.notices()).toBe("");
  });
});

it("a worker that the machine terminates is killed, also during its gate", async () => {
  const check = "touch $HOME/judged; while :; do sleep 0.1; done";
  const stage = await newStage({ config: RESUMES, story: { checks: [check] } });
  await stage.run("run", STORY);
  await expect.poll(() => existsSync(join(stage.home, "judged"))).toBe(true);
  const worker = (await stage.store.listRuns(STORY))[0]?.worker?.pid ?? 0;
  process.kill(worker, "SIGTERM");
  await expect.poll(stage.processes).toEqual([]);
  expect((await stage.store.listRuns(STORY))[0]).toMatchObject({ outcome: "killed" });
  expect((await stage.store.viewStory(STORY)).state).toBe("killed");
  expect(await recover(stage)).toMatchObject({ resumed: [{ story: STORY }] });
  await stage.run("stop", STORY);
});

it("a worker that is terminated while its worktree is set up is killed, not failed", async () => {
  const stage = await newStage({ config: '[worktree]\nsetup = "touch ../begun; sleep 50"\n' });
  await stage.run("run", STORY);
  const begun = join(stage.worktree, "..", "begun");
  await expect.poll(() => existsSync(begun)).toBe(true);
  process.kill((await stage.store.listRuns(STORY))[0]?.worker?.pid ?? 0, "SIGTERM");
  await expect.poll(stage.processes).toEqual([]);
  expect((await stage.store.listRuns(STORY))[0]).toMatchObject({ outcome: "killed" });
});

describe("a worker that a person stops", () => {
  it("is stopped, not killed: `saga stop` records that first", async () => {
    const stage = await atWork(RESUMES + NOTICES);
    await stage.run("stop", STORY);
    const run = await stage.untilEnded();
    expect(run).toMatchObject({ outcome: "stopped", reason: "Stopped by you." });
    expect(await recover(stage)).toMatchObject({ inFlight: [STORY], resumed: [] });
    expect(stage.notices()).toBe("");
  });

  it("is stopped, not killed, by Ctrl-C in the foreground", async () => {
    const slow = { form: [{ run: "touch half.txt; while :; do sleep 0.1; done" }] };
    const stage = await newStage({ steps: slow });
    let worker: ChildProcess | undefined;
    const onStart = (child: ChildProcess): void => void (worker = child);
    const ending = stage.runWith({ onStart }, "run", STORY, "--foreground", "--json");
    const half = join(stage.worktree, "half.txt");
    await expect.poll(() => existsSync(half)).toBe(true);
    worker?.kill("SIGINT");
    const ended = await ending;
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "stopped", isCutOff: false });
  });
});

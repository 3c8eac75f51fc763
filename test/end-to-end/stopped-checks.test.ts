import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startTimeOf } from "../../src/machine/processes/process-id.ts";
import { aTask, type Spoken } from "../support/project.ts";
import { expectNothingLeft, newStage, STORY, type Stage } from "../support/stage.ts";

/** Passes at once when there is a file `quick`, and else not before it is ended; its child leaves its session. */
const slowCheck = ({ quick, pid }: { quick: string; pid: string }): string =>
  `test -e ${quick} || { setsid sh -c 'echo $$ > ${pid}; exec sleep 1000' & wait; }`;

interface SlowStage extends Stage {
  /** From now on the check ends by itself. */
  readonly hurry: () => void;
  readonly delay: () => void;
  /** The child of the check; 0 when there is none yet. */
  readonly pid: () => number;
  /** Stops the command as soon as its check is at work. */
  readonly stoppedAtCheck: (...words: string[]) => Promise<Spoken>;
}

async function newSlowStage(of: "story" | "task"): Promise<SlowStage> {
  const stage = await newStage({
    story: of === "story" ? { checks: ["true", 'sh "$HOME/check"'] } : {},
    tasks: [aTask("form", { checks: of === "task" ? ['sh "$HOME/check"'] : [] })],
  });
  const at = { quick: join(stage.home, "quick"), pid: join(stage.home, "pid") };
  stage.write("../home/check", `${slowCheck(at)}\n`);
  const pid = (): number => (existsSync(at.pid) ? Number(readFileSync(at.pid, "utf8")) : 0);
  return {
    ...stage,
    pid,
    hurry: () => void stage.write("../home/quick", ""),
    delay: () => rmSync(at.quick),
    async stoppedAtCheck(...words) {
      rmSync(at.pid, { force: true });
      const stop = new AbortController();
      const ending = stage.sagaUntil({ stop: stop.signal, env: stage.env }, ...words);
      await expect.poll(pid, { timeout: 60_000 }).toBeGreaterThan(0);
      stop.abort();
      const ended = await ending;
      expect(startTimeOf(pid())).toBeUndefined();
      return ended;
    },
  };
}

const gates = async (stage: Stage): Promise<unknown[]> =>
  (await stage.events("gate")).map(({ command }) => command);

describe("a worker that is stopped", () => {
  it("while its story is checked has no receipt of that, and no task more", async () => {
    const stage = await newSlowStage("story");
    const ended = await stage.stoppedAtCheck("run", STORY, "--foreground", "--json");
    expect(ended.exitCode).toBe(1);
    expect(ended.json()).toMatchObject({ outcome: "stopped" });
    expect(await gates(stage)).toEqual([]);
    expect(await stage.statuses()).toEqual({ form: "completed" });
    expect((await stage.store.readStory(STORY)).story.status).not.toBe("completed");
    await expectNothingLeft(stage);

    stage.hurry();
    expect((await stage.work()).exitCode).toBe(0);
    expect(await gates(stage)).toEqual([undefined, "true", 'sh "$HOME/check"']);
    expect(await stage.statuses()).toEqual({ form: "completed" });
  });

  it("while a task is checked has not completed it", async () => {
    const stage = await newSlowStage("task");
    const ended = await stage.stoppedAtCheck("run", STORY, "--foreground", "--json");
    expect(ended.json()).toMatchObject({ outcome: "stopped" });
    expect(await stage.statuses()).toEqual({ form: "pending" });
    expect(await gates(stage)).toEqual([]);
    expect(stage.commits()).toEqual([]);
    await expectNothingLeft(stage);

    stage.hurry();
    expect((await stage.work()).exitCode).toBe(0);
    expect(stage.commits()).toEqual(["form"]);
  });
});

it("a check whose worker was killed is ended by the next one", async () => {
  const stage = await newSlowStage("story");
  let worker: ChildProcess | undefined;
  const onStart = (child: ChildProcess): void => void (worker = child);
  const killed = stage.runWith({ onStart }, "run", STORY, "--foreground");
  await expect.poll(stage.pid, { timeout: 60_000 }).toBeGreaterThan(0);
  worker?.kill("SIGKILL");
  expect((await killed).signal).toBe("SIGKILL");
  stage.hurry();
  expect((await stage.work()).exitCode).toBe(0);
  expect(startTimeOf(stage.pid())).toBeUndefined();
  await expectNothingLeft(stage);
});

it.each(["verify", "accept", "merge"])(
  "a check whose `saga %s` was killed is ended by the next command on the story",
  async (command) => {
    const stage = await newSlowStage("story");
    stage.hurry();
    expect((await stage.work()).exitCode).toBe(0);
    stage.git("switch", "--quiet", "--create", "elsewhere");
    // Other code than what was proven: then whoever accepts it has it checked.
    if (command === "accept") {
      stage.write(`.saga/worktrees/${STORY}/more.txt`, "more\n");
      stage.git("-C", stage.worktree, "add", "more.txt");
      stage.git("-C", stage.worktree, "commit", "--quiet", "--message=More");
    }
    stage.delay();
    let child: ChildProcess | undefined;
    const onStart = (started: ChildProcess): void => void (child = started);
    const killed = stage.runWith({ onStart }, command, STORY);
    await expect.poll(stage.pid, { timeout: 60_000 }).toBeGreaterThan(0);
    child?.kill("SIGKILL");
    expect((await killed).signal).toBe("SIGKILL");
    const next = await stage.sagaWithEnv(stage.env, "verify", STORY, "--no-run");
    expect(next.stderr).not.toContain("is being worked on");
    expect(startTimeOf(stage.pid())).toBeUndefined();
    stage.hurry();
    const merged = await stage.sagaWithEnv(stage.env, "accept", STORY, "--merge");
    expect(merged.stdout, merged.stderr).toContain("is merged into main");
    await expectNothingLeft(stage);
  },
);

it("a set-up command whose worker was killed is ended by the next one, with all it has started", async () => {
  const setup = `setsid sh -c 'echo $$ > "$HOME/pid"; exec sleep 1000' & test -e "$HOME/quick" || wait`;
  const stage = await newStage({ config: `[worktree]\nsetup = ${JSON.stringify(setup)}\n` });
  const file = join(stage.home, "pid");
  const pid = (): number => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0);
  let worker: ChildProcess | undefined;
  const onStart = (child: ChildProcess): void => void (worker = child);
  const killed = stage.runWith({ onStart }, "run", STORY, "--foreground");
  await expect.poll(pid, { timeout: 60_000 }).toBeGreaterThan(0);
  worker?.kill("SIGKILL");
  await killed;
  const left = pid();
  stage.write("../home/quick", "");
  expect((await stage.work()).exitCode).toBe(0);
  expect(startTimeOf(left)).toBeUndefined();
  expect(startTimeOf(pid())).toBeUndefined();
});

describe("a finished story", () => {
  it("is as it was when its verification, acceptance or merge is stopped at a check", async () => {
    const stage = await newSlowStage("story");
    stage.hurry();
    expect((await stage.work()).exitCode).toBe(0);
    const receipts = await gates(stage);
    const main = stage.git("rev-parse", "main");
    stage.delay();

    const verified = await stage.stoppedAtCheck("verify", STORY);
    expect([verified.exitCode, verified.stderr]).toEqual([1, expect.stringContaining(STOPPED)]);
    expect(verified.stdout).toBe("");
    const merged = await stage.stoppedAtCheck("merge", STORY);
    expect([merged.exitCode, merged.stdout]).toEqual([1, expect.stringContaining(STOPPED)]);

    // Other code than what was proven: then whoever accepts it has it checked.
    stage.write(`.saga/worktrees/${STORY}/more.txt`, "more\n");
    stage.git("-C", stage.worktree, "add", "more.txt");
    stage.git("-C", stage.worktree, "commit", "--quiet", "--message=More");
    const accepted = await stage.stoppedAtCheck("accept", STORY, "--json");
    expect(accepted.exitCode).toBe(1);
    expect(accepted.json()).toMatchObject({ error: { code: "stopped", message: STOPPED } });

    expect(await gates(stage)).toEqual(receipts);
    expect(stage.git("rev-parse", "main")).toBe(main);
    await expectNothingLeft(stage);
    stage.hurry();
    stage.git("switch", "--quiet", "--create", "elsewhere");
    const at = await stage.sagaWithEnv(stage.env, "accept", STORY, "--merge");
    expect(at.stdout).toContain("is merged into main");
  });
});

const STOPPED = "It was stopped; nothing was changed.";

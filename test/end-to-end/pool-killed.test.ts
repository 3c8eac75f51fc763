import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { say } from "../../src/rehearsal/scripted-agent.ts";
import { readDaemons } from "../../src/tasks/daemon-files.ts";
import {
  CONFIG,
  newPoolStage,
  worker,
  workersOf,
  write,
  type Pool,
  type PoolAgent,
  type PoolStage,
} from "../support/pool-stage.ts";
import { builtSaga, runNode } from "../support/programs.ts";
import { until } from "../support/until.ts";
import { expectExit } from "../support/expect-exit.ts";

const NOTICES = '[notices]\nbell = false\ncommand = "cat >> notices.jsonl"\n';

const atWork = ({ path }: PoolStage) => readDaemons(path).flatMap(({ workers }) => workers);

/** Writes a file and then thinks for ever, the first time it is asked to do a task. */
function thinkerAt(taskId: string): { agent: PoolAgent; isThinking: Promise<void> } {
  let begin = (): void => undefined;
  const isThinking = new Promise<void>((resolve) => (begin = resolve));
  let hasThought = false;
  return {
    isThinking,
    agent: (turn) => {
      if (turn.taskId !== taskId || hasThought) return worker()(turn);
      if (turn.calls.length === 0) return say(write("half.md", "Half of it.\n"));
      hasThought = true;
      begin();
      return { kind: "hang" };
    },
  };
}

/** A pool whose only worker is in the middle of task 1. */
async function thinking(...words: string[]): Promise<{ stage: PoolStage; pool: Pool }> {
  const { agent, isThinking } = thinkerAt("1");
  const stage = await newPoolStage({ agent });
  stage.addTask("1");
  const pool = stage.auto("--workers", "1", ...words);
  await isThinking;
  return { stage, pool };
}

const halves = (stage: PoolStage): string[] =>
  stage
    .keeps()
    .filter((ref) => stage.git("ls-tree", "--name-only", ref).split("\n").includes("half.md"));

/** The daemon sees nothing of its worker's end. */
async function killTogether(stage: PoolStage, pool: Pool): Promise<void> {
  const pid = workersOf(stage)["auto-1"] ?? 0;
  pool.child.kill("SIGSTOP");
  process.kill(pid, "SIGKILL");
  pool.child.kill("SIGKILL");
  await pool.ended;
}

it("returns a killed worker's task, keeps its work, and runs the task again", async () => {
  const { stage, pool } = await thinking("--once");
  process.kill(workersOf(stage)["auto-1"] ?? 0, "SIGKILL");
  const ended = await expectExit(0, pool.ended);
  expect(ended.stderr).toContain("task 1 is back on the list: auto-1 died (attempt 1 of 3)");
  expect(stage.merged()).toEqual(["1"]);
  expect(stage.task("1").metadata).toEqual({ saga: { attempts: 1 } });
  expect(halves(stage)).not.toEqual([]);
  // What was kept is not part of what was merged.
  expect(stage.git("ls-tree", "-r", "--name-only", "main").split("\n")).not.toContain("half.md");
});

it("completes a task that was merged before its worker was killed, and does not run it twice", async () => {
  let turns = 0;
  const stage = await newPoolStage({
    agent: (turn) => {
      turns++;
      // Other writers of that task have to wait now.
      if (turn.calls.length === 2) mkdirSync(join(stage.list, "1.json.lock"));
      return worker()(turn);
    },
  });
  stage.addTask("1");
  const pool = stage.auto("--once", "--workers", "1");
  await until(() => stage.merged().length === 1);
  process.kill(workersOf(stage)["auto-1"] ?? 0, "SIGKILL");
  rmdirSync(join(stage.list, "1.json.lock"));
  const ended = await expectExit(0, pool.ended);
  expect(ended.stderr).toMatch(/1 is completed: auto-1 died after merging it as/);
  expect(stage.tasks()).toEqual({ "1": "completed" });
  expect(stage.merged()).toEqual(["1"]);
  expect(turns).toBe(3);
});

describe("a task whose worker was killed in a worktree at another task's merged commit", () => {
  /** A `git` that is killed once, as soon as it is asked `words` and the trap is set. */
  function trapGit({ home, env }: PoolStage, words: string): { set: () => void } {
    const [bin, trap] = [join(home, "bin"), join(home, "trap")];
    const git = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
    mkdirSync(bin);
    writeFileSync(
      join(bin, "git"),
      `#!/bin/sh
case "$*" in *"${words}"*) if rm "${trap}" 2>/dev/null; then kill -KILL $$; fi;; esac
exec ${git} "$@"
`,
    );
    chmodSync(join(bin, "git"), 0o755);
    env["PATH"] = `${bin}:${env["PATH"]}`;
    return { set: () => writeFileSync(trap, "") };
  }

  async function killedAtFour(words: string) {
    let isKilled = false;
    const stage = await newPoolStage({
      agent: (turn) => {
        if (turn.taskId === "4" && !isKilled) {
          isKilled = true;
          process.kill(workersOf(stage)["auto-1"] ?? 0, "SIGKILL");
          return { kind: "hang" };
        }
        // It has handed in its work; what comes now is the merge.
        if (turn.taskId === "4" && turn.calls.length === 2) trap.set();
        return worker()(turn);
      },
    });
    const trap = trapGit(stage, words);
    stage.addTask("5");
    stage.addTask("4", { blockedBy: ["5"], metadata: { checks: ["test -e work/4.md"] } });
    const ended = await stage.auto("--once", "--workers", "1").ended;
    expect(ended.stderr).toContain("task 4 is back on the list: auto-1 died");
    return { stage, ended };
  }

  it.for([
    "rev-parse --quiet --verify refs/heads/story/auto-1^{commit}",
    "diff --cached --quiet",
    "for-each-ref --format=%(refname)%00%(objectname)",
  ])(
    "is completed only by its own commit, also if `git %s` is killed in the merge",
    async (words) => {
      const { stage, ended } = await killedAtFour(words);
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(stage.tasks()).toEqual({ "4": "completed", "5": "completed" });
      expect(stage.merged()).toEqual(["5", "4"]);
      expect(stage.git("show", "main:work/4.md")).toBe("The work of 4.");
      const five = stage.git("log", "-1", "--format=%h", "--grep=Saga-Task: chores/5", "main");
      expect(ended.stderr).not.toContain(`merged task 4 as ${five}`);
    },
  );
});

it("ends its workers with their daemon; their tasks are returned and their work is kept", async () => {
  const { stage, pool } = await thinking();
  pool.child.kill("SIGKILL");
  await until(() => stage.sessions().length === 0);
  expect(stage.task("1").status).toBe("pending");
  expect(stage.task("1").owner).toBeUndefined();
  expect(stage.task("1").metadata ?? {}).not.toHaveProperty("saga.attempts");
  expect(halves(stage)).not.toEqual([]);
  expect(workersOf(stage)).toEqual({});
  expect(stage.processes()).toEqual([]);
});

it("recovers running tasks when daemon and worker were killed together", async () => {
  const { stage, pool } = await thinking();
  await killTogether(stage, pool);
  expect(stage.task("1")).toMatchObject({ status: "in_progress", owner: "auto-1" });
  await expectExit(0, stage.auto("--once", "--workers", "1").ended);
  expect(stage.merged()).toEqual(["1"]);
  expect(stage.task("1").metadata).toBeUndefined();
  expect(halves(stage)).not.toEqual([]);
});

it("puts a task on hold whose workers keep dying, reports it, and runs the others", async () => {
  let begun = 0;
  const stage = await newPoolStage({
    config: `${CONFIG.replace("[delivery]", "max_attempts = 2\n[delivery]")}${NOTICES}`,
    agent: (turn) => {
      if (turn.taskId !== "1") return worker()(turn);
      begun++;
      const victim = atWork(stage).find(({ task, life }) => task === "1" && life === "alive");
      process.kill(victim?.process.pid ?? 0, "SIGKILL");
      return { kind: "hang" };
    },
  });
  for (const id of ["1", "2", "3"]) stage.addTask(id);
  const ended = await expectExit(3, stage.auto("--once", "--workers", "2", "--json").ended);
  expect(JSON.parse(ended.stdout)).toMatchObject({ ended: "done", failed: ["1"], held: ["1"] });
  expect(begun).toBe(2);
  const why = /^Failed 2 times. Its worker auto-\d died during the task.$/;
  expect(stage.task("1")).toMatchObject({
    status: "pending",
    metadata: {
      saga: { attempts: 2, held: { kind: "parked", why: expect.stringMatching(why) as string } },
    },
  });
  expect(stage.merged().toSorted()).toEqual(["2", "3"]);
  const notices = stage.read("notices.jsonl").trim().split("\n");
  expect(notices.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { kind: "pool", title: "Pool: Do 1", next: "saga task release 1" },
  ]);
});

it("gives up when a worker keeps dying without a task", async () => {
  const stage = await newPoolStage();
  const pool = stage.auto("--workers", "1", "--json");
  const killed = new Set<number>();
  for (let times = 0; times < 3; times++) {
    let pid = 0;
    await until(() => !killed.has((pid = workersOf(stage)["auto-1"] ?? 0)) && pid !== 0);
    process.kill(pid, "SIGKILL");
    killed.add(pid);
  }
  const ended = await expectExit(1, pool.ended);
  expect(JSON.parse(ended.stdout)).toMatchObject({ ended: "failed", problem: { kind: "crashed" } });
});

describe("with --once, a dead worker's task that cannot be returned", () => {
  const config = CONFIG.replace("[delivery]", 'target = "night"\npoll_seconds = 1\n[delivery]');

  async function unrecoverable() {
    const { agent, isThinking } = thinkerAt("1");
    const stage = await newPoolStage({ config, agent });
    stage.git("branch", "night");
    stage.addTask("1");
    const pool = stage.auto("--once", "--workers", "1", "--json");
    await isThinking;
    // Whether its work has arrived cannot be seen in a branch that is not there.
    stage.git("update-ref", "-d", "refs/heads/night");
    process.kill(workersOf(stage)["auto-1"] ?? 0, "SIGKILL");
    await pool.until("Task 1 of the dead worker auto-1 could not be recovered");
    return { stage, pool };
  }

  it("is tried again until it can", async () => {
    const { stage, pool } = await unrecoverable();
    stage.git("branch", "night", "main");
    await expectExit(0, pool.ended);
    expect(stage.tasks()).toEqual({ "1": "completed" });
    expect(stage.git("show", "night:work/1.md")).toBe("The work of 1.");
  });

  it("is named at the end, which is a failure", async () => {
    const { stage, pool } = await unrecoverable();
    const ended = await expectExit(1, pool.ended);
    const file = join(stage.list, "1.json");
    expect(JSON.parse(ended.stdout)).toMatchObject({
      problem: { kind: "write-failed", taskId: "1", file },
    });
    expect(stage.task("1").status).toBe("in_progress");
  });
});

it("does not wait for a clock that is set back", async () => {
  const { agent, isThinking } = thinkerAt("1");
  const stage = await newPoolStage({ agent });
  const [offset, clock] = [join(stage.home, "offset"), join(stage.home, "clock.cjs")];
  writeFileSync(offset, "0");
  writeFileSync(
    clock,
    `const { readFileSync } = require("node:fs");
const now = Date.now;
Date.now = () => now() + Number(readFileSync(${JSON.stringify(offset)}, "utf8"));
`,
  );
  stage.env["NODE_OPTIONS"] = `--require ${clock}`;
  stage.addTask("1");
  const pool = stage.auto("--once", "--workers", "1");
  await isThinking;
  process.kill(workersOf(stage)["auto-1"] ?? 0, "SIGKILL");
  await pool.until("auto-1 died");
  writeFileSync(`${offset}.new`, String(-2 * 3600_000));
  renameSync(`${offset}.new`, offset);
  await expectExit(0, pool.ended);
  expect(stage.merged()).toEqual(["1"]);
});

it("refuses another repository's list, whose work would be merged into the wrong one", async () => {
  const stage = await newPoolStage();
  const clone = join(stage.home, "clone");
  cpSync(stage.path, clone, { recursive: true });
  stage.addTask("1");
  await expectExit(0, stage.auto("--once", "--workers", "1").ended);
  stage.addTask("2");
  const there = await runNode([builtSaga, "auto", "--once", "--workers", "1"], {
    cwd: clone,
    env: stage.env,
  });
  expect(there.exitCode, there.stderr).toBe(1);
  expect(there.stderr).toContain(
    `The task list chores belongs to another repository: ${stage.path}.`,
  );
  expect(stage.tasks()).toEqual({ "1": "completed", "2": "pending" });
});

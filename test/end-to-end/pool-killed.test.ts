import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { say } from "../../src/rehearsal/obedient.ts";
import {
  finish,
  newPoolStage,
  until,
  worker,
  workersOf,
  write,
  type PoolAgent,
  type PoolStage,
} from "../support/pool-stage.ts";

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

const halves = (stage: PoolStage): string[] =>
  stage
    .keeps()
    .filter((ref) => stage.git("ls-tree", "--name-only", ref).split("\n").includes("half.md"));

it("returns the task of a worker that was killed, keeps its work, and does it again", async () => {
  const { agent, isThinking } = thinkerAt("1");
  const stage = await newPoolStage({ agent });
  stage.addTask("1");
  const pool = stage.auto("--once", "--workers", "1");
  await isThinking;
  process.kill(workersOf(stage)["auto-1"] ?? 0, "SIGKILL");
  const ended = await pool.ended;
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(ended.stderr).toContain("1 is back on the list: auto-1 has died");
  expect(stage.merged()).toEqual(["1"]);
  expect(stage.task("1").metadata).toBeUndefined();
  expect(halves(stage)).not.toEqual([]);
  // What was kept is not part of what was merged.
  expect(stage.git("ls-tree", "-r", "--name-only", "main").split("\n")).not.toContain("half.md");
});

it("completes what was merged when its worker was killed, and does not do it twice", async () => {
  let turns = 0;
  const stage = await newPoolStage({
    agent: (turn) => {
      turns++;
      // Whoever wants to write that task now has to wait.
      if (turn.calls.length === 2) mkdirSync(join(stage.list, "1.json.lock"));
      return worker()(turn);
    },
  });
  stage.addTask("1");
  const pool = stage.auto("--once", "--workers", "1");
  await until(() => stage.merged().length === 1);
  process.kill(workersOf(stage)["auto-1"] ?? 0, "SIGKILL");
  rmdirSync(join(stage.list, "1.json.lock"));
  const ended = await pool.ended;
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(ended.stderr).toMatch(/1 is completed: auto-1 has died after it had merged it as/);
  expect(stage.tasks()).toEqual({ "1": "completed" });
  expect(stage.merged()).toEqual(["1"]);
  expect(turns).toBe(3);
});

it("has workers that end without their daemon, with their tasks returned and their work kept", async () => {
  const { agent, isThinking } = thinkerAt("1");
  const stage = await newPoolStage({ agent });
  stage.addTask("1");
  const pool = stage.auto("--workers", "1");
  await isThinking;
  pool.child.kill("SIGKILL");
  await until(() => stage.sessions().length === 0);
  expect(stage.task("1").status).toBe("pending");
  expect(stage.task("1").owner).toBeUndefined();
  expect(stage.task("1").metadata ?? {}).not.toHaveProperty("saga.attempts");
  expect(halves(stage)).not.toEqual([]);
  expect(workersOf(stage)).toEqual({});
  expect(stage.processes()).toEqual([]);
});

it("recovers what was in hand when daemon and worker were killed together", async () => {
  const { agent, isThinking } = thinkerAt("1");
  const stage = await newPoolStage({ agent });
  stage.addTask("1");
  const pool = stage.auto("--workers", "1");
  await isThinking;
  const pid = workersOf(stage)["auto-1"] ?? 0;
  pool.child.kill("SIGSTOP");
  process.kill(pid, "SIGKILL");
  pool.child.kill("SIGKILL");
  await pool.ended;
  expect(stage.task("1")).toMatchObject({ status: "in_progress", owner: "auto-1" });
  const ended = await stage.auto("--once", "--workers", "1").ended;
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(stage.merged()).toEqual(["1"]);
  expect(halves(stage)).not.toEqual([]);
});

it("gives up when a worker dies again and again", async () => {
  const stage = await newPoolStage({
    agent: ({ calls }) => {
      if (calls.length > 0) return say(finish());
      process.kill(workersOf(stage)["auto-1"] ?? 0, "SIGKILL");
      return { kind: "hang" };
    },
  });
  stage.addTask("1");
  const ended = await stage.auto("--workers", "1", "--json").ended;
  expect(ended.exitCode, ended.stderr).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({ ended: "failed", problem: { kind: "crashed" } });
  expect(stage.task("1").status).toBe("pending");
});

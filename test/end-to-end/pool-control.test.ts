import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isRunning, readDaemons } from "../../src/tasks/daemon-files.ts";
import { CONFIG, gateAt, LIST, newPoolStage, worker } from "../support/pool-stage.ts";
import { until } from "../support/until.ts";
import { expectExit } from "../support/expect-exit.ts";

/** A pool whose only worker is in the middle of task 1, until it is let go. */
async function atWork() {
  const { agent, isThere, letGo } = gateAt("1");
  const stage = await newPoolStage({ agent });
  stage.addTask("1");
  const pool = stage.auto("--workers", "1", "--json");
  await isThere;
  return { stage, pool, letGo };
}

it("stops: ends the agent, keeps its work, and returns its task without counting an attempt", async () => {
  const { stage, pool } = await atWork();
  const stopped = await stage.run("auto", "stop", "--json");
  expect(JSON.parse(stopped.stdout)).toMatchObject({ left: [] });
  const ended = await expectExit(0, pool.ended);
  expect(JSON.parse(ended.stdout)).toMatchObject({ ended: "stopped" });
  expect(stage.task("1").status).toBe("pending");
  expect(stage.task("1").metadata ?? {}).not.toHaveProperty("saga.attempts");
  expect(stage.git("show", `${stage.keeps()[0]}:work/1.md`)).toBe("The work of 1.");
  expect(stage.sessions()).toEqual([]);
  expect(stage.processes()).toEqual([]);
  expect((await stage.store.leases.list()).map(({ name }) => name)).toEqual([]);
});

it("ends cleanly when it gets a second signal, as a child of its overseer does", async () => {
  const { stage, pool } = await atWork();
  pool.child.kill("SIGTERM");
  await until(() => readDaemons(stage.path)[0]?.daemon.state !== "running");
  pool.child.kill("SIGINT");
  const ended = await expectExit(0, pool.ended);
  expect(JSON.parse(ended.stdout)).toMatchObject({ ended: "stopped" });
  expect(stage.sessions()).toEqual([]);
});

it("stops only the named pool, repeatedly, and refuses an unknown name", async () => {
  const stage = await newPoolStage();
  const running = (): string[] =>
    readDaemons(stage.path).flatMap((view) => (isRunning(view) ? [view.daemon.instance] : []));
  const one = stage.auto("--workers", "1", "--json");
  await until(() => running().length === 1);
  const [named = ""] = running();
  const other = stage.auto("--workers", "1", "--json");
  await until(() => running().length === 2);
  const stopped = await stage.run("auto", "stop", named, "--json");
  expect(JSON.parse(stopped.stdout)).toEqual({ stopped: [named], left: [] });
  await one.ended;
  expect(running()).not.toContain(named);
  expect(running()).toHaveLength(1);
  const again = await stage.run("auto", "drain", named, "--json");
  expect(JSON.parse(again.stdout)).toEqual({ draining: [] });
  const unknown = await expectExit(1, stage.run("auto", "stop", "00000000"));
  expect(unknown.stderr).toContain("There is no pool 00000000.");
  expect(running()).toHaveLength(1);
  await stage.run("auto", "drain");
  expect((await other.ended).exitCode).toBe(0);
});

it("drains: finishes and merges running tasks, and starts no others", async () => {
  const { stage, pool, letGo } = await atWork();
  stage.addTask("2");
  await stage.run("auto", "drain");
  letGo();
  const ended = await expectExit(0, pool.ended);
  expect(JSON.parse(ended.stdout)).toMatchObject({ ended: "drained", completed: ["1"] });
  expect(stage.tasks()).toEqual({ "1": "completed", "2": "pending" });
});

it("continues when its output is closed, and can still be stopped", async () => {
  const stage = await newPoolStage();
  for (const id of ["1", "2"]) stage.addTask(id);
  const pool = stage.auto("--workers", "1");
  await pool.until("auto-1 started task 1");
  pool.child.stderr?.destroy();
  pool.child.stdout?.destroy();
  await until(() => stage.tasks()["2"] === "completed");
  const stopped = await stage.run("auto", "stop", "--json");
  expect(JSON.parse(stopped.stdout)).toMatchObject({ left: [] });
  const ended = await pool.ended;
  expect([ended.exitCode, ended.signal]).toEqual([0, null]);
});

it("is stopped by `saga stop --all`, and is not a story for any other command", async () => {
  const { stage, pool } = await atWork();
  const status = (await stage.run("status")).stdout;
  expect(status).toMatch(/^Pool on chores, running, started \d+ (s|min) ago, process \d+\n/);
  expect(status).not.toContain("Nothing is running.");
  for (const command of ["stop", "discard", "run", "resume"]) {
    const { exitCode, stderr } = await stage.run(command, "auto-1");
    expect([exitCode, stderr], command).toEqual([1, expect.stringContaining("`saga auto stop`")]);
  }
  expect(stage.task("1").status).toBe("in_progress");
  const all = await stage.run("stop", "--all");
  expect([all.exitCode, all.stdout]).toEqual([
    0,
    "The pool was stopped. Running tasks kept their work and are back on the list.\n",
  ]);
  expect((await pool.ended).exitCode).toBe(0);
  expect(stage.task("1").status).toBe("pending");
  const again = await stage.run("stop", "--all", "--json");
  expect(JSON.parse(again.stdout)).toEqual({
    stories: [],
    epics: [],
    pools: { stopped: [], left: [] },
    problems: [],
  });
});

it("names auto.target if that branch does not exist", async () => {
  const config = CONFIG.replace("[delivery]", 'target = "nowhere"\n[delivery]');
  const stage = await newPoolStage({ config });
  const ended = await expectExit(1, stage.auto("--once").ended);
  expect(ended.stderr).toContain("The target branch nowhere does not exist");
  expect(ended.stderr).toContain("saga config set auto.target <branch>");
});

it("shows which worker runs which task, in every view", async () => {
  const { agent, isThere, letGo } = gateAt("1");
  const stage = await newPoolStage({ agent });
  stage.addTask("1");
  const started = await stage.run("auto", "--detach", "--once", "--workers", "1", "--json");
  expect(JSON.parse(started.stdout)).toMatchObject({ list: LIST });
  await isThere;
  const status = JSON.parse((await stage.run("auto", "status", "--json")).stdout) as {
    active_task_ids: unknown;
    daemons: { workers: unknown[] }[];
  };
  expect(status.active_task_ids).toEqual({ "auto-1": "1" });
  expect(status.daemons[0]?.workers[0]).toMatchObject({ worker: "auto-1", state: "working" });
  const sessions = (await stage.run("sessions", "--json")).stdout;
  expect(sessions).toContain('"story": "auto-1"');
  expect(sessions).toContain('"story": "auto-daemon"');
  expect((await stage.run("logs", "auto-1")).stdout).toContain("Write");
  expect((await stage.run("status")).stdout).toContain("auto-1");
  letGo();
  await until(() => stage.tasks()["1"] === "completed" && stage.sessions().length === 0);
  expect((await stage.run("auto", "status")).stdout).toContain(
    "No pool is running for the task list chores.",
  );
});

it("is running when --detach returns: it can be drained at once", async () => {
  const stage = await newPoolStage({});
  await stage.run("auto", "--detach", "--workers", "1", "--json");
  const drained = JSON.parse((await stage.run("auto", "drain", "--json")).stdout) as {
    draining: string[];
  };
  expect(drained.draining).toHaveLength(1);
  await until(() => stage.sessions().length === 0);
});

it("reports with --detach why it could not start", async () => {
  const stage = await newPoolStage({});
  mkdirSync(join(stage.path, ".saga/leases"), { recursive: true });
  writeFileSync(join(stage.path, ".saga/leases/auto-slot.1"), "no folder\n");
  const started = await expectExit(1, stage.run("auto", "--detach"));
  expect(started.stderr).toContain("The pool exited during startup. Its last output: ");
  expect(started.stderr).toContain("auto-slot.1");
});

it("stops after its running tasks when a task file becomes invalid, with file, kind and message", async () => {
  const { stage, pool, letGo } = await atWork();
  writeFileSync(join(stage.list, "2.json"), "{ not json");
  await pool.until("The pool has stopped (invalid-json");
  letGo();
  const ended = await expectExit(1, pool.ended);
  const problem = { kind: "invalid-json", file: join(stage.list, "2.json"), taskId: "2" };
  expect(JSON.parse(ended.stdout)).toMatchObject({ problem, completed: ["1"] });
  const [view] = readDaemons(stage.path);
  const failure = readFileSync(join(view?.folder ?? "", "failure.json"), "utf8");
  expect(JSON.parse(failure)).toMatchObject(problem);
});

it.each([
  ["a cycle", { "1": ["2"], "2": ["1"] }, "cycle"],
  ["a dependency that is not there", { "1": ["9"] }, "missing-dependency"],
])("does not start on a list with %s", async (_, blockedBy, kind) => {
  const stage = await newPoolStage();
  for (const [id, blockers] of Object.entries(blockedBy)) {
    stage.addTask(id, { blockedBy: blockers });
  }
  const ended = await expectExit(1, stage.auto("--once", "--json").ended);
  expect(JSON.parse(ended.stdout)).toMatchObject({ problem: { kind } });
  expect(stage.model.turns()).toBe(0);
});

it("names the line of an invalid context file", async () => {
  const stage = await newPoolStage();
  stage.addTask("1");
  const file = stage.write(".claude/saga_task_context.toml", '[ui]\nprolog = "Oops."\n');
  const ended = await expectExit(1, stage.auto("--once").ended);
  expect(ended.stderr).toContain(`${file}:2:`);
});

it("names both solutions when the target is checked out and may not be updated", async () => {
  const stage = await newPoolStage({ config: `[auto]\ntask_list_id = "${LIST}"\n` });
  const ended = await expectExit(1, stage.auto("--once").ended);
  expect(ended.stderr).toContain("merges into main, and the checkout of main in");
  expect(ended.stderr).toContain("--update-checkout");
  expect(ended.stderr).toContain("auto.target");
});

it("reads the context file under its other name, with one remark", async () => {
  let prompt = "";
  const stage = await newPoolStage({
    agent: (turn) => {
      ({ prompt } = turn);
      return worker()(turn);
    },
  });
  stage.write(".claude/llmc_task_context.toml", '[default]\nprologue = "Read the plan first."\n');
  stage.addTask("1");
  stage.addTask("2");
  const ended = await expectExit(0, stage.auto("--once", "--workers", "1").ended);
  expect(prompt).toContain("Read the plan first.");
  expect(ended.stderr.split("Reading .claude/llmc_task_context.toml")).toHaveLength(2);
});

it("stops when a person works in the checkout of the target; nothing is lost", async () => {
  const stage = await newPoolStage({
    agent: (turn) => {
      stage.write("README.md", "# A person is editing this\n");
      return worker()(turn);
    },
  });
  stage.addTask("1");
  const ended = await expectExit(1, stage.auto("--workers", "1", "--json").ended);
  expect(JSON.parse(ended.stdout)).toMatchObject({ problem: { kind: "write-failed" } });
  expect(stage.task("1").status).toBe("pending");
  expect(stage.read("README.md")).toBe("# A person is editing this\n");
  expect(stage.keeps().map((ref) => stage.git("show", `${ref}:work/1.md`))).toContain(
    "The work of 1.",
  );
});

it("merges into another branch when the settings name one", async () => {
  const config = CONFIG.replace("[delivery]", 'target = "night"\n[delivery]');
  const stage = await newPoolStage({ config });
  stage.git("branch", "night");
  stage.addTask("1");
  await expectExit(0, stage.auto("--once", "--workers", "1").ended);
  expect(stage.merged()).toEqual([]);
  expect(stage.git("show", "night:work/1.md")).toBe("The work of 1.");
});

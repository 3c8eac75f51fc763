import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeTask } from "../../../test/support/claude-list.ts";
import { follow } from "../../../test/support/dashboard.ts";
import { newProject, type Project } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { newListing, type PoolListing } from "../../tasks/listing.ts";
import { poolTaskOf } from "../../tasks/task.ts";
import { openPoolList } from "./pool-list.ts";
import { poolTaskCards } from "./pool-tasks.ts";

/** Of these, and one that is open and one that is done. */
function listing(...tasks: ClaudeCodeTask[]): PoolListing {
  const list = newListing((id) => `/list/${id}.json`);
  const others = [claudeTask("open"), claudeTask("done", { status: "completed" })];
  for (const task of [...tasks, ...others]) {
    const { task: pool, fault } = poolTaskOf(task, 0);
    const problem = { kind: "invalid-task", message: fault ?? "" } as const;
    list.put(task.id, pool ? { task, pool } : { task, problem });
  }
  return list;
}

describe("the state of a task", () => {
  const isOwn = (owner: string): boolean => owner === "auto-1";
  const held = { saga: { held: { kind: "blocker", why: "Which?", at: "x" }, attempts: 2 } };
  it.each<[state: string, why: string | undefined, task: ClaudeCodeTask]>([
    ["ready", undefined, claudeTask("1")],
    ["waiting", undefined, claudeTask("1", { blockedBy: ["open"] })],
    ["ready", undefined, claudeTask("1", { blockedBy: ["done"] })],
    [
      "broken",
      "Task 1 waits for none, a task that is not there.",
      claudeTask("1", { blockedBy: ["none"] }),
    ],
    ["working", undefined, claudeTask("1", { status: "in_progress", owner: "auto-1" })],
    ["elsewhere", undefined, claudeTask("1", { status: "in_progress", owner: "someone" })],
    ["elsewhere", undefined, claudeTask("1", { status: "in_progress" })],
    ["needs-you", "Which?", claudeTask("1", { metadata: held })],
    ["completed", undefined, claudeTask("1", { status: "completed", blockedBy: ["none"] })],
    ["ready", "It failed.", claudeTask("1", { metadata: { saga: { lastFailure: "It failed." } } })],
    [
      "broken",
      "`metadata.priority` must be a number, but is text.",
      claudeTask("1", { metadata: { priority: "high", saga: 7, label: [] } }),
    ],
  ])("%s", (state, why, given) => {
    const facts = { dead: new Set<string>(), running: new Map(), isOwn };
    const card = poolTaskCards(listing(given), facts).find(({ id }) => id === "1");
    expect(card).toMatchObject({ state, why });
  });

  it("needs-you is a question when an agent asked, not when the task was parked", () => {
    const facts = { dead: new Set<string>(), running: new Map(), isOwn };
    const isQuestion = (kind: string): boolean | undefined => {
      const metadata = { saga: { held: { kind, why: "Which?", at: "2026-11-16T15:24:00.000Z" } } };
      return poolTaskCards(listing(claudeTask("1", { metadata })), facts)[0]?.isQuestion;
    };
    expect([isQuestion("blocker"), isQuestion("parked")]).toEqual([true, undefined]);
  });

  it("abandoned, and says by whom, when its owner has died; but a worker that lives and has it is not dead", () => {
    const mine = claudeTask("1", { status: "in_progress", owner: "auto-1" });
    const dead = new Set(["1"]);
    const card = (inHand: Parameters<typeof poolTaskCards>[1]["running"]) =>
      poolTaskCards(listing(mine), { dead, running: inHand, isOwn })[0];
    expect(card(new Map())).toMatchObject({
      state: "abandoned",
      why: "auto-1 has died; a pool takes it back.",
    });
    expect(card(new Map([["1", { worker: "auto-1", sinceMs: 0 }]]))?.state).toBe("working");
  });

  it("broken, and all that Claude sees of it is shown", () => {
    const owned = { owner: "auto-9", blockedBy: ["open"], metadata: { priority: "high" } };
    const card = poolTaskCards(listing(claudeTask("open"), claudeTask("1", owned)), {
      dead: new Set(),
      running: new Map(),
      isOwn,
    }).find(({ id }) => id === "1");
    expect(card).toMatchObject({
      subject: "Do 1",
      state: "broken",
      priority: 3,
      owner: "auto-9",
      blockedBy: ["open"],
    });
  });
});

describe("the files of a list", () => {
  const inList = async (list: ReturnType<typeof openPoolList>): Promise<readonly object[]> => {
    const { tasks, broken } = await list.read();
    return [...tasks.values(), ...broken.values()];
  };

  it("are called broken at the second look: Claude writes them in place", async () => {
    const folder = newProject().path;
    const file = join(folder, "1.json");
    const list = openPoolList(folder);
    writeFileSync(file, JSON.stringify(claudeTask("1")));
    expect(await inList(list)).toMatchObject([{ task: { id: "1", subject: "Do 1" } }]);
    writeFileSync(file, '{"id": "1", "subj');
    expect(await inList(list)).toMatchObject([{ task: { id: "1", subject: "Do 1" } }]);
    expect(list.isTorn()).toBe(true);
    const { tasks, broken } = await list.read();
    expect(tasks.size).toBe(0);
    expect(broken.get("1")?.problem.message).toContain("is not JSON");
    writeFileSync(file, JSON.stringify(claudeTask("1", { subject: "Again" })));
    expect(await inList(list)).toMatchObject([{ task: { subject: "Again" } }]);
    expect(list.isTorn()).toBe(false);
  });

  it("that are gone are shown no more", async () => {
    const folder = newProject().path;
    const list = openPoolList(folder);
    writeFileSync(join(folder, "1.json"), JSON.stringify(claudeTask("1")));
    expect(await inList(list)).toHaveLength(1);
    rmSync(join(folder, "1.json"));
    expect(await inList(list)).toEqual([]);
    expect(await inList(list)).toEqual([]);
  });

  it("are none where there is no list, and what else lies there is no task", async () => {
    expect(await inList(openPoolList("/no/such/folder"))).toEqual([]);
    const folder = newProject().path;
    mkdirSync(join(folder, ".claims"));
    writeFileSync(join(folder, ".highwatermark"), "3");
    expect(await inList(openPoolList(folder))).toEqual([]);
  });
});

describe("a pool at work", () => {
  function withPool(): { project: Project; list: string } {
    const project = newProject();
    const list = join(project.path, "../tasks/chores");
    mkdirSync(list, { recursive: true });
    const at = new Date().toISOString();
    const own = { process: thisProcess(), startedAt: at, since: at };
    project.write(".saga/auto/1a2b3c4d/daemon.json", {
      ...own,
      instance: "1a2b3c4d",
      list: "chores",
      folder: list,
      workers: ["auto-1", "auto-2"],
      state: "running",
    });
    project.write(".saga/auto/1a2b3c4d/auto-1.json", {
      ...own,
      worker: "auto-1",
      state: "working",
      task: "1",
    });
    project.write(".saga/auto/1a2b3c4d/auto-2.json", "{ half");
    writeFileSync(
      join(list, "1.json"),
      JSON.stringify(claudeTask("1", { status: "in_progress", owner: "auto-1" })),
    );
    return { project, list };
  }

  it("is shown with its daemon, its workers and its tasks, and as it changes", async () => {
    const { project, list } = withPool();
    const { entities, until } = await follow(project);
    const pool = () => entities.get("pool", "chores");
    expect(pool()).toMatchObject({
      list: "chores",
      daemons: [{ instance: "1a2b3c4d", state: "running", pid: process.pid }],
      workers: [{ name: "auto-1", state: "working", task: "1" }],
      tasks: [{ id: "1", state: "working", owner: "auto-1" }],
    });
    writeFileSync(join(list, "2.json"), JSON.stringify(claudeTask("2", { blockedBy: ["1"] })));
    await until(() => pool()?.tasks[1]?.state === "waiting");
    writeFileSync(join(list, "1.json"), JSON.stringify(claudeTask("1", { status: "completed" })));
    await until(() => pool()?.tasks[1]?.state === "ready");
    const daemon = project.json(".saga/auto/1a2b3c4d/daemon.json");
    project.write(".saga/auto/1a2b3c4d/daemon.json", { ...daemon, state: "draining" });
    await until(() => pool()?.daemons[0]?.state === "draining");
  });

  it("that died is not shown as running", async () => {
    const { project } = withPool();
    const daemon = project.json(".saga/auto/1a2b3c4d/daemon.json");
    const dead = { ...thisProcess(), startTime: "1" };
    project.write(".saga/auto/1a2b3c4d/daemon.json", { ...daemon, process: dead });
    const { entities } = await follow(project);
    expect(entities.ids("pool")).toEqual([]);
  });
});

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { follow } from "../../test/support/dashboard.ts";
import { newProject, type Project } from "../../test/support/project.ts";
import { thisProcess } from "../machine/process.ts";
import type { ClaudeCodeTask } from "../story/claude-task.ts";
import { openPoolList } from "./pool-list.ts";
import { poolTaskCards } from "./pool-tasks.ts";
import { poolPlace } from "./pool-view.ts";

const task = (id: string, more: Partial<ClaudeCodeTask> = {}): ClaudeCodeTask => ({
  id,
  subject: `Do ${id}`,
  description: "All of it.",
  status: "pending",
  blocks: [],
  blockedBy: [],
  ...more,
});

describe("the state of a task", () => {
  const held = { saga: { held: { kind: "blocker", why: "Which?", at: "x" }, attempts: 2 } };
  it.each<[state: string, why: string | undefined, task: ClaudeCodeTask]>([
    ["ready", undefined, task("1")],
    ["waiting", undefined, task("1", { blockedBy: ["open"] })],
    ["ready", undefined, task("1", { blockedBy: ["done"] })],
    ["broken", "It waits for none, which is not on the list.", task("1", { blockedBy: ["none"] })],
    ["working", undefined, task("1", { status: "in_progress", owner: "auto-1" })],
    ["elsewhere", undefined, task("1", { status: "in_progress", owner: "someone" })],
    ["elsewhere", undefined, task("1", { status: "in_progress" })],
    ["needs-you", "Which?", task("1", { metadata: held })],
    ["completed", undefined, task("1", { status: "completed", blockedBy: ["none"] })],
    ["ready", "It failed.", task("1", { metadata: { saga: { lastFailure: "It failed." } } })],
    ["ready", undefined, task("1", { metadata: { priority: "high", saga: 7, label: [] } })],
  ])("%s", (state, why, given) => {
    const others = [task("open"), task("done", { status: "completed" })];
    const read = [given, ...others].map((one) => ({ id: one.id, task: one }));
    expect(poolTaskCards(read, (owner) => owner === "auto-1")[0]).toMatchObject({ state, why });
  });
});

describe("the place of the list", () => {
  it.each<[what: string, settings: unknown, folder: string | undefined]>([
    ["none without settings", undefined, undefined],
    ["none without a list", { auto: {} }, undefined],
    ["none for a name that leads elsewhere", { auto: { taskListId: "../x" } }, undefined],
    ["Claude's own", { auto: { taskListId: "chores" } }, "/home/me/.claude/tasks/chores"],
    [
      "the one that is set",
      { auto: { taskListId: "chores", tasksRoot: "~/t" } },
      "/home/me/t/chores",
    ],
  ])("is %s", (_, settings, folder) => {
    expect(poolPlace(settings, { HOME: "/home/me" })?.folder).toBe(folder);
  });
});

describe("the files of a list", () => {
  it("are called broken at the second look: Claude writes them in place", () => {
    const folder = newProject().path;
    const file = join(folder, "1.json");
    const list = openPoolList(folder);
    writeFileSync(file, JSON.stringify(task("1")));
    expect(list.read()).toMatchObject([{ id: "1", task: { subject: "Do 1" } }]);
    writeFileSync(file, '{"id": "1", "subj');
    expect(list.read()).toMatchObject([{ id: "1", task: { subject: "Do 1" } }]);
    expect(list.isTorn()).toBe(true);
    expect(list.read()[0]?.fault).toContain("cannot be read");
    writeFileSync(file, JSON.stringify(task("1", { subject: "Again" })));
    expect(list.read()).toMatchObject([{ task: { subject: "Again" } }]);
    expect(list.isTorn()).toBe(false);
  });

  it("are none where there is no list, and what else lies there is no task", () => {
    expect(openPoolList("/no/such/folder").read()).toEqual([]);
    const folder = newProject().path;
    mkdirSync(join(folder, ".claims"));
    writeFileSync(join(folder, ".highwatermark"), "3");
    expect(openPoolList(folder).read()).toEqual([]);
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
      list: "chores",
      folder: list,
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
      JSON.stringify(task("1", { status: "in_progress", owner: "auto-1" })),
    );
    return { project, list };
  }

  it("is shown with its daemon, its workers and its tasks, and as it changes", async () => {
    const { project, list } = withPool();
    const { live, until } = await follow(project);
    const pool = () => live.get("pool", "chores");
    expect(pool()).toMatchObject({
      list: "chores",
      daemons: [{ instance: "1a2b3c4d", state: "running", pid: process.pid }],
      workers: [{ name: "auto-1", state: "working", task: "1" }],
      tasks: [{ id: "1", state: "working", owner: "auto-1" }],
    });
    writeFileSync(join(list, "2.json"), JSON.stringify(task("2", { blockedBy: ["1"] })));
    await until(() => pool()?.tasks[1]?.state === "waiting");
    writeFileSync(join(list, "1.json"), JSON.stringify(task("1", { status: "completed" })));
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
    const { live } = await follow(project);
    expect(live.ids("pool")).toEqual([]);
  });
});

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeTask } from "../../../test/support/claude-list.ts";
import { follow } from "../../../test/support/dashboard.ts";
import { newProject, type Project } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";

describe("a running pool", () => {
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

  it("is shown with its daemon, workers and tasks, and updated", async () => {
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

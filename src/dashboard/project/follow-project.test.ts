import { execFile } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { addStory, follow, withStory } from "../../../test/support/dashboard.ts";
import { anEpic, aStory, aTask, newProject } from "../../../test/support/project.ts";
import { newRepository } from "../../../test/support/repository.ts";
import { newWorktree } from "../../../test/support/worktree.ts";
import { openStore } from "../../store/file-store.ts";
import type { Run } from "../../story/state/run.ts";

/** As Saga writes files: a new file replaces the old one. */
function replace(file: string, content: unknown): void {
  writeFileSync(`${file}.tmp`, JSON.stringify(content));
  renameSync(`${file}.tmp`, file);
}

describe("at the start", () => {
  it("shows stories with their tasks, epics and the project", async () => {
    const project = withStory();
    addStory(project, "log-out");
    project.write(
      ".saga/epics/auth/epic.json",
      anEpic("auth", [{ id: "add-login" }, { id: "log-out", blockedBy: ["add-login"] }]),
    );
    const { story, entities } = await follow(project);
    expect(story("add-login")).toMatchObject({
      title: "Title of add-login",
      state: "ready",
      epic: "auth",
      tasks: [
        { id: "form", subject: "Do form", status: "pending", blockedBy: [] },
        { id: "tests", subject: "Do tests", status: "pending", blockedBy: [] },
      ],
      costUsd: 0,
    });
    expect(story("log-out")).toMatchObject({ state: "waiting", waitsFor: ["add-login"] });
    expect(entities.get("epics", "auth")).toMatchObject({
      status: "pending",
      isRunning: false,
      children: [
        { id: "add-login", blockedBy: [] },
        { id: "log-out", blockedBy: ["add-login"] },
      ],
    });
    expect(entities.get("project", "project")).toMatchObject({ name: "project", costTodayUsd: 0 });
  });

  it("shows the target branch, and follows the settings", async () => {
    const repository = newRepository();
    repository.git("branch", "night");
    const { entities, until } = await follow(repository);
    const target = () => entities.get("project", "project")?.target;
    await until(() => target() === "main");
    repository.write(".saga/config.toml", '[git]\nbase = "night"\n');
    await until(() => target() !== "main");
    expect(target()).toBe("night");
  });

  it("shows an invalid file as a problem with its line, beside everything else", async () => {
    const project = withStory();
    project.write(".saga/stories/broken/story.json", '{\n  "id": "broken",\n  oops\n}');
    const { story, entities, until } = await follow(project);
    expect(story("add-login")?.state).toBe("ready");
    expect(story("broken")).toBeUndefined();
    const problems = entities.ids("problems").map((id) => entities.get("problems", id));
    expect(problems).toMatchObject([
      { story: "broken", file: ".saga/stories/broken/story.json", line: 3 },
    ]);

    addStory(project, "broken");
    await until(() => story("broken")?.state === "ready" && entities.ids("problems").length === 0);
  });

  it("shows the story even if a run's record or a lease cannot be read, and reports it", async () => {
    const project = withStory();
    const run = ".saga/runs/add-login/20261116T135310123Z-6602bf/run.json";
    const lease = ".saga/leases/story.add-login/1.json";
    for (const file of [run, lease]) mkdirSync(join(project.path, file), { recursive: true });
    const { story, entities, until } = await follow(project);
    expect(story("add-login")?.state).toBe("ready");
    const problems = entities.ids("problems").map((id) => entities.get("problems", id));
    expect(new Set(problems.map((one) => one?.file))).toEqual(
      new Set([".saga/leases/story.add-login", ".saga/runs/add-login"]),
    );
    for (const one of problems) expect(one?.message).toMatch(/folder|directory/);

    addStory(project, "log-out");
    await until(() => story("log-out")?.state === "ready");
    for (const file of [run, lease]) rmSync(join(project.path, file), { recursive: true });
    await until(() => entities.ids("problems").length === 0);
  });

  it("does not mistake the change counter for a lease", async () => {
    const project = withStory();
    const { story, entities, until } = await follow(project);
    const { exitCode } = await project.saga("new", "story", "log-out", "-d", "x");
    expect(exitCode).toBe(0);
    await until(() => story("log-out") !== undefined);
    writeFileSync(join(project.path, ".saga/leases/story.log-out"), "");
    await until(() => entities.ids("problems").length > 0);
    const files = entities.ids("problems").map((id) => entities.get("problems", id)?.file);
    expect(files).toEqual([".saga/leases/story.log-out"]);
  });

  it("shows that a story in review was approved, until a worker has run again", async () => {
    const project = withStory("add-login", []);
    project.write(".saga/stories/add-login/form.json", aTask("form", { status: "completed" }));
    const store = openStore(project.path);
    const endRun = async (more: Partial<Run>): Promise<void> => {
      const log = await store.startRun("add-login");
      log.update({ endedAt: new Date().toISOString(), outcome: "done", ...more });
      log.close();
    };
    await endRun({ session: "saga-story-add-login-1700000000000" });
    const { story, until } = await follow(project);
    expect(story("add-login")).toMatchObject({ state: "review" });
    expect(story("add-login")?.acceptedAt).toBeUndefined();
    await endRun({ hasReceipts: true, hasWord: true });
    await until(() => story("add-login")?.acceptedAt !== undefined);
    await endRun({ hasReceipts: true });
    await endRun({ session: "saga-story-add-login-1700000000001" });
    await until(() => story("add-login")?.acceptedAt === undefined);
  });

  it("shows an archived story as completed", async () => {
    const project = newProject();
    project.write(".saga/archive/old/story.json", aStory("old", { status: "completed" }));
    const { story } = await follow(project);
    expect(story("old")).toMatchObject({ state: "completed", isArchived: true });
  });
});

describe("a change on disk", () => {
  it("is shown when a file is written in place, and when it is replaced", async () => {
    const project = withStory();
    const { story, until } = await follow(project);
    const status = (): string | undefined => story("add-login")?.tasks[0]?.status;
    const file = join(project.path, ".saga/stories/add-login/form.json");
    writeFileSync(file, JSON.stringify(aTask("form", { status: "in_progress" })));
    await until(() => status() === "in_progress");
    replace(file, aTask("form", { status: "completed" }));
    await until(() => status() === "completed");
    expect(story("add-login")?.tasks).toHaveLength(2);
  });

  it("is shown from a worktree, whose copy counts while it exists", async () => {
    const project = withStory();
    const { story, until } = await follow(project);
    const folder = newWorktree(
      project,
      "add-login",
      aStory("add-login", { status: "in_progress" }),
    );
    project.write(`${folder}/form.json`, aTask("form"));
    await until(() => story("add-login")?.worktree !== undefined);
    await until(() => story("add-login")?.tasks.length === 1);
    expect(story("add-login")?.state).toBe("unfinished");

    replace(join(project.path, folder, "form.json"), aTask("form", { status: "completed" }));
    await until(() => story("add-login")?.tasks[0]?.status === "completed");

    rmSync(join(project.path, ".saga/worktrees/add-login"), { recursive: true });
    await until(() => story("add-login")?.worktree === undefined);
    expect(story("add-login")?.tasks).toHaveLength(2);
  });

  it("is shown from a worktree in each of the older locations", async () => {
    const project = newProject();
    for (const [place, id] of [
      ["stories/log-in", "log-in"],
      ["auth/log-out", "auth--log-out"],
    ] as const) {
      project.write(`${newWorktree(project, place, aStory(id))}/form.json`, aTask("form"));
    }
    const { story, until } = await follow(project);
    for (const [place, id] of [
      ["stories/log-in", "log-in"],
      ["auth/log-out", "auth--log-out"],
    ] as const) {
      const file = join(project.path, `.saga/worktrees/${place}/.saga/stories/${id}/form.json`);
      replace(file, aTask("form", { status: "in_progress" }));
      await until(() => story(id)?.tasks[0]?.status === "in_progress");
      expect(story(id)?.worktree).toBe(join(project.path, `.saga/worktrees/${place}`));
    }
  });

  it("removes a story, brings it back, and is noticed in its new folder", async () => {
    const project = withStory();
    const { story, until } = await follow(project);
    const folder = join(project.path, ".saga/stories/add-login");
    for (let round = 0; round < 3; round++) {
      rmSync(folder, { recursive: true });
      await until(() => story("add-login") === undefined);
      addStory(project, "add-login");
      await until(() => story("add-login")?.tasks.length === 1);
      replace(join(folder, "form.json"), aTask("form", { status: "in_progress" }));
      await until(() => story("add-login")?.tasks[0]?.status === "in_progress");
      expect(story("add-login")?.state).toBe("unfinished");
    }
  });

  it("is noticed in a folder that was deleted and created again at once", async () => {
    const project = withStory();
    const { story, until } = await follow(project);
    const folder = join(project.path, ".saga/stories/add-login");
    rmSync(folder, { recursive: true });
    addStory(project, "add-login");
    await until(() => story("add-login")?.tasks.length === 1);
    replace(join(folder, "form.json"), aTask("form", { status: "in_progress" }));
    await until(() => story("add-login")?.tasks[0]?.status === "in_progress");
    expect(story("add-login")?.state).toBe("unfinished");
  });

  it("is noticed when `.saga/stories` is created later", async () => {
    const project = newProject();
    const { story, until } = await follow(project);
    addStory(project, "add-login");
    await until(() => story("add-login")?.tasks.length === 1);
    expect(story("add-login")?.state).toBe("ready");
  });

  it("does not cause a problem when a folder is deleted before it could be watched", async () => {
    const project = newProject();
    project.write(".saga/stories/first/story.json", aStory("first"));
    const shown = await follow(project);
    const loop = "for i in $(seq 300); do mkdir a$i b$i c$i; rmdir a$i b$i c$i; done";
    await promisify(execFile)("sh", ["-c", loop], { cwd: join(project.path, ".saga/stories") });
    project.write(".saga/stories/last/story.json", aStory("last"));
    await shown.until(() => shown.story("last") !== undefined);
    expect([...shown.cache.problems().keys()]).toEqual([]);
  });

  it("moves a story to the archive", async () => {
    const project = withStory();
    const { story, until } = await follow(project);
    mkdirSync(join(project.path, ".saga/archive"));
    renameSync(
      join(project.path, ".saga/stories/add-login"),
      join(project.path, ".saga/archive/add-login"),
    );
    await until(() => story("add-login")?.isArchived === true);
    expect(story("add-login")?.state).toBe("completed");
  });

  it("makes stories ready when the story they wait for is completed", async () => {
    const project = withStory("first", ["form"]);
    addStory(project, "second");
    project.write(
      ".saga/epics/auth/epic.json",
      anEpic("auth", [{ id: "first" }, { id: "second", blockedBy: ["first"] }]),
    );
    const { story, entities, until } = await follow(project);
    expect(story("second")?.state).toBe("waiting");
    const done = { status: "completed" };
    project.write(".saga/stories/first/form.json", aTask("form", done));
    project.write(".saga/stories/first/story.json", aStory("first", done));
    await until(() => story("second")?.state === "ready");
    expect(entities.get("epics", "auth")).toMatchObject({ status: "in_progress" });
  });

  it("changes only the version of the story that it belongs to", async () => {
    const project = withStory();
    addStory(project, "log-out");
    const { story, until } = await follow(project);
    const [before, other] = [story("add-login")?.version, story("log-out")?.version];
    project.write(".saga/stories/add-login/form.json", aTask("form", { guidance: "Carefully." }));
    await until(() => story("add-login")?.version !== before);
    expect(story("log-out")?.version).toBe(other);
  });
});

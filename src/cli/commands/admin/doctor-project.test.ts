import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newMachine, diagnosesOf, diagnosis } from "../../../../test/support/examined.ts";
import { aStory, newFolder, newProject, snapshot } from "../../../../test/support/project.ts";
import { thisProcess } from "../../../machine/processes/process-id.ts";

describe("saga doctor examines the project:", () => {
  it("there is none", async () => {
    const found = await diagnosis(newFolder(), newMachine(), "project");
    expect(found).toMatchObject({ verdict: "fail", fix: "Run `saga init`." });
  });

  it.each([
    [0, "0 stories"],
    [1, "1 story"],
    [2, "2 stories"],
  ])("a good one with %d stories", async (amount, words) => {
    const project = newProject();
    for (let at = 0; at < amount; at++) {
      project.write(`.saga/stories/s${at}/story.json`, aStory(`s${at}`));
    }
    const found = await diagnosis(project, newMachine(), "project");
    expect(found).toEqual({ name: "project", verdict: "ok", found: `${project.path}, ${words}` });
  });

  it.each([
    [1, "1 error in its files"],
    [2, "2 errors in its files"],
  ])("one with %d errors, and the command that shows them", async (amount, words) => {
    const project = newProject();
    for (let at = 0; at < amount; at++) project.write(`.saga/stories/s${at}/story.json`, "{");
    const found = await diagnosis(project, newMachine(), "project");
    expect(found).toMatchObject({ verdict: "fail", found: words, fix: "Run `saga validate`." });
  });

  it("wrong settings are an error among the others", async () => {
    const project = newProject();
    project.write(".saga/config.toml", "[size\n");
    const found = await diagnosis(project, newMachine(), "project");
    expect(found).toMatchObject({ verdict: "fail", fix: "Run `saga validate`." });
  });

  it.each(["stories", "epics", "leases", "worktrees"])(
    "a file in the place of %s does not hide the rest",
    async (name) => {
      const project = newProject();
      project.write(`.saga/${name}`, "in the way\n");
      const result = await project.sagaWithEnv(newMachine().env, "doctor", "--json");
      expect(result.exitCode).toBe(1);
      expect(diagnosesOf(result).map((one) => one.name)).toContain("disk");
      expect(result.stdout).toContain(`.saga/${name}`);
    },
  );

  it("a folder in the place of the settings does not hide the rest", async () => {
    const folder = newFolder();
    mkdirSync(join(folder.path, ".saga/config.toml"), { recursive: true });
    const result = await folder.sagaWithEnv(newMachine().env, "doctor", "--json");
    expect(result.exitCode).toBe(1);
    expect(diagnosesOf(result).map((one) => one.name)).toContain("disk");
  });
});

describe("saga doctor examines leases:", () => {
  const lease = (more: Record<string, unknown>): Record<string, unknown> => ({
    ...thisProcess(),
    owner: "worker 7",
    takenAt: "2026-01-01T00:00:00.000Z",
    expiresAt: "2026-01-01T00:01:00.000Z",
    ...more,
  });

  it("none left", async () => {
    const project = newProject();
    project.write(".saga/leases/story.done/3.json", "");
    const found = await diagnosis(project, newMachine(), "locks");
    expect(found).toMatchObject({ verdict: "ok", found: "none stale" });
  });

  it("one of a dead process, which is named, and left where it is", async () => {
    const project = newProject();
    project.write(".saga/leases/story.s/1.json", lease({ startTime: "long ago", pid: 4_194_999 }));
    const before = snapshot(project.path);
    const found = await diagnosis(project, newMachine(), "locks");
    expect(found.verdict).toBe("warn");
    expect(found.found).toContain("story.s (process 4194999)");
    expect(found.fix).toBeDefined();
    expect(snapshot(project.path)).toBe(before);
    expect(existsSync(join(project.path, ".saga/leases/story.s/1.json"))).toBe(true);
  });

  it("one of a living process is in order", async () => {
    const project = newProject();
    project.write(".saga/leases/story.s/1.json", lease({}));
    expect(await diagnosis(project, newMachine(), "locks")).toMatchObject({ verdict: "ok" });
  });
});

describe("saga doctor examines the session folder:", () => {
  it("not there yet is fine", async () => {
    const machine = newMachine();
    const found = await diagnosis(newProject(), machine, "session folder");
    expect(found).toMatchObject({ verdict: "ok", found: machine.env["SAGA_SESSION_DIR"] });
  });

  it("closed to others is fine", async () => {
    const machine = newMachine();
    mkdirSync(join(machine.home.path, "sessions"), { mode: 0o700 });
    expect(await diagnosis(newProject(), machine, "session folder")).toMatchObject({
      verdict: "ok",
    });
  });

  it.each([0o755, 0o770, 0o701])("open to others is not: %o", async (mode) => {
    const machine = newMachine();
    mkdirSync(join(machine.home.path, "sessions"));
    chmodSync(join(machine.home.path, "sessions"), mode);
    const found = await diagnosis(newProject(), machine, "session folder");
    expect(found.verdict).toBe("fail");
    expect(found.found).toContain("is open to other users");
    expect(found.fix).toContain("chmod 700");
  });

  it("a file in its place", async () => {
    const machine = newMachine();
    machine.home.write("sessions", "in the way\n");
    const found = await diagnosis(newProject(), machine, "session folder");
    expect(found.verdict).toBe("fail");
    expect(found.found).toContain("is not a folder");
  });

  it("a link in its place", async () => {
    const machine = newMachine();
    mkdirSync(join(machine.home.path, "elsewhere"), { mode: 0o700 });
    machine.home.link("sessions", "elsewhere");
    expect(await diagnosis(newProject(), machine, "session folder")).toMatchObject({
      verdict: "fail",
    });
  });
});

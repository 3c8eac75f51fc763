import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anEpic, aStory, newProject } from "../../../../test/support/project.ts";
import { workedOn } from "../../../../test/support/worked-on.ts";
import { thisProcess } from "../../../machine/processes/process-id.ts";
import { makeInstanceFolder, writeDaemon, writeWorker } from "../../../tasks/daemon-files.ts";
import { openStore } from "../../../store/file-store.ts";

it("names what the pool had to set aside, and leaves it to a person", async () => {
  const project = newProject();
  const aside = ".saga/auto/0000abcd/set-aside";
  project.write(`${aside}/run/nested/file`, "precious\n");
  const { exitCode, stdout } = await project.saga("clean");
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`${aside} has files that no snapshot could hold`);
  expect(existsSync(join(project.path, aside, "run/nested/file"))).toBe(true);
});

it("releases leases of dead processes, except a story worker's, which the next worker needs to recover", async () => {
  const project = newProject();
  const at = new Date().toISOString();
  const dead = { ...thisProcess(), startTime: "1", owner: "me", takenAt: at, expiresAt: at };
  const names = ["auto-slot.3", "epic.shop", "merge", "story.add-login", "story.auto-1"];
  for (const name of names) {
    project.write(`.saga/leases/${name}/1.json`, { ...dead });
  }
  // A merge leaves nothing in the middle.
  const merge = { ...dead, purpose: "merge" };
  project.write(".saga/leases/story.till/1.json", merge);
  const { leases } = openStore(project.path);
  const held = async () => (await leases.list()).map(({ name }) => name);
  expect((await project.saga("clean", "--dry-run")).exitCode).toBe(0);
  expect((await held()).toSorted()).toEqual([...names, "story.till"]);
  const cleaned = await project.saga("clean");
  expect(cleaned.exitCode).toBe(0);
  expect(cleaned.stdout).toContain("removed  lease epic.shop\n");
  expect(await held()).toEqual(["story.add-login"]);
});

describe("of the files that sessions have left", () => {
  const MS = 1_700_000_000_000;

  /** What is left of them; no session of these is running. */
  async function afterCleaning(
    project: ReturnType<typeof newProject>,
    ...sessions: string[]
  ): Promise<string[]> {
    const folder = join(project.path, "../sessions");
    mkdirSync(folder, { mode: 0o700 });
    for (const session of sessions) {
      // What it printed, when no other file is named.
      const name = session.endsWith(".env") ? session : `${session}.out`;
      writeFileSync(join(folder, name), "It said that.\n");
      utimesSync(join(folder, name), new Date(), new Date(Date.now() - 60_000));
    }
    const tmux = join(project.path, "../tmux");
    const env = { PATH: process.env["PATH"], HOME: project.path, SAGA_SESSION_DIR: folder };
    const { exitCode } = await project.sagaWithEnv({ ...env, TMUX_TMPDIR: tmux }, "clean");
    expect(exitCode).toBe(0);
    return readdirSync(folder);
  }

  it("those of epics are deleted when no run is active, and those of other projects are kept", async () => {
    const project = newProject();
    for (const id of ["shop", "busy"]) {
      project.write(`.saga/epics/${id}/epic.json`, anEpic(id, []));
    }
    const { lease } = await openStore(project.path).leases.acquire("epic.busy", {
      owner: "saga epic run",
      ttlMs: 60_000,
    });
    const [shop, busy, other] = ["shop", "busy", "other"].map((id) => `saga-epic-${id}-${MS}`);
    expect(await afterCleaning(project, shop ?? "", busy ?? "", other ?? "")).toEqual([
      `${busy}.out`,
      `${other}.out`,
    ]);
    await lease?.release();
  });

  it("an environment that no session will read is deleted, whatever its project", async () => {
    const names = [`saga-auto-daemon-${MS}`, `saga-story-other-${MS}`];
    const environments = names.map((name) => `${name}.env`);
    expect(await afterCleaning(newProject(), ...names, ...environments)).toEqual(
      names.map((name) => `${name}.out`),
    );
  });

  it("those of stories without a run are deleted, except while a process holds the lease", async () => {
    const project = newProject();
    for (const id of ["idle", "busy"]) {
      project.write(`.saga/stories/${id}/story.json`, aStory(id));
    }
    await workedOn(project, "busy");
    const [idle, busy, other] = ["idle", "busy", "other"].map((id) => `saga-story-${id}-${MS}`);
    expect(await afterCleaning(project, idle ?? "", busy ?? "", other ?? "")).toEqual([
      `${busy}.out`,
      `${other}.out`,
    ]);
  });

  it("those of a pool go with its sessions, a daemon's only when it is this project's", async () => {
    const project = newProject();
    const folder = makeInstanceFolder(project.path, "0000abcd");
    const alive = thisProcess();
    const dead = { ...alive, startTime: "1" };
    const at = new Date(MS).toISOString();
    const names = ["auto-1", "auto-2", "auto-daemon"] as const;
    const [one, two, daemon] = names.map((name) => `saga-${name}-${MS}`);
    writeDaemon(folder, {
      instance: "0000abcd",
      list: "chores",
      folder: project.path,
      process: dead,
      startedAt: at,
      session: daemon,
      state: "running",
      workers: ["auto-1", "auto-2"],
    });
    const idle = { state: "idle", since: at } as const;
    writeWorker(folder, { worker: "auto-1", process: dead, session: one, ...idle });
    writeWorker(folder, { worker: "auto-2", process: alive, session: two, ...idle });
    const early = `saga-auto-3-${MS}`;
    const other = `saga-auto-daemon-${MS + 1}`;
    const left = await afterCleaning(project, one ?? "", two ?? "", daemon ?? "", early, other);
    // The others may belong to another project, and a daemon's output may be needed by a person.
    expect(left).toEqual([`${other}.out`]);
  });
});

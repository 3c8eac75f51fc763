import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newFolder, type Project } from "../../../test/support/project.ts";
import { bundle } from "../../../test/support/programs.ts";
import {
  livenessOf,
  startTimeOf,
  thisProcess,
  type ProcessId,
} from "../../machine/processes/process-id.ts";
import { makeInstanceFolder, writeDaemon } from "../../tasks/daemon-files.ts";
import { findProblems } from "../list/find-problems.ts";
import { oversee, type Overseer, type OverseerEnd } from "./overseer.ts";
import type { RepairResult, RepairRequest } from "./repair-run.ts";

const TASK = {
  id: "1",
  subject: "One",
  description: "",
  status: "pending",
  blocks: [],
  blockedBy: [],
};

interface World extends Project {
  readonly list: string;
  readonly lines: string[];
  readonly requests: RepairRequest[];
  readonly starts: () => number;
  readonly daemons: ChildProcess[];
  readonly oversee: (ways: readonly string[], more?: Partial<Overseer>) => Promise<OverseerEnd>;
}

function newWorld(repair: (world: World) => RepairResult = () => notRepaired): World {
  const project = newFolder();
  const list = join(project.path, "tasks");
  const context = join(project.path, "context.toml");
  mkdirSync(join(project.path, ".saga/auto"), { recursive: true });
  mkdirSync(list);
  const world: World = {
    ...project,
    list,
    lines: [],
    requests: [],
    daemons: [],
    starts: () => Number(readFileSync(join(project.path, "starts"), "utf8")),
    oversee: async (ways, more = {}) => {
      const daemon = await bundle("test/support/processes/fake-daemon.ts");
      return oversee({
        project: project.path,
        list,
        startDaemon() {
          const words = [daemon, project.path, list, ...ways];
          const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
          onTestFinished(() => void child.kill("SIGKILL"));
          world.daemons.push(child);
          return child;
        },
        limits: { repairs: 3, pauseMs: 1 },
        graceMs: 30_000,
        hungGraceMs: 200,
        settledMs: 60_000,
        findProblems: () => findProblems(list, context),
        repair: async (order) => {
          world.requests.push(order);
          return repair(world);
        },
        logLine: (sentence) => void world.lines.push(sentence),
        pass: () => undefined,
        now: Date.now,
        stop: new AbortController().signal,
        ...more,
        // Only the first daemon has a short limit: on a busy machine the next ones would be taken for hung while they start.
        get hangMs() {
          return world.daemons.length > 1 ? LONG_MS : (more.hangMs ?? LONG_MS);
        },
      });
    },
  };
  return world;
}

const notRepaired: RepairResult = {
  kind: "not-repaired",
  copy: "",
  why: "It is as broken as before.",
};
const repaired: RepairResult = { kind: "repaired", copy: "" };

/** A busy machine takes more than a second to start a program. */
const HANG_MS = 3_000;
const LONG_MS = 60_000;

/** One of the same project that gives no sign of life either. */
async function anotherDaemon({ path, list }: World): Promise<ProcessId> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const stranger = { ...thisProcess(), pid, startTime: startTimeOf(pid) ?? "" };
  const instance = "0000000f";
  writeDaemon(makeInstanceFolder(path, instance), {
    instance,
    list: "chores",
    folder: list,
    process: stranger,
    startedAt: new Date().toISOString(),
    state: "running",
    workers: [],
  });
  return stranger;
}

describe("an overseer", () => {
  it.each([0, 3] as const)("ends with its daemon when that ends with %s", async (exitCode) => {
    const world = newWorld();
    expect(await world.oversee([String(exitCode)])).toEqual({
      exitCode,
      gaveUp: undefined,
      answer: '{"done":true}\n',
      starts: 1,
      repairs: 0,
    });
  });

  it.each(["crash", "throw"])("restarts a daemon that ended by %s", async (way) => {
    const world = newWorld();
    expect(await world.oversee([way, way, "0"])).toMatchObject({
      exitCode: 0,
      starts: 3,
      repairs: 0,
    });
    expect(world.requests).toEqual([]);
    expect(world.lines[0]).toContain("crashed");
  });

  it("gives up on a daemon that keeps crashing, and says why", async () => {
    const world = newWorld();
    expect(await world.oversee(["throw"])).toMatchObject({
      exitCode: 1,
      starts: 4,
      gaveUp: {
        failure: { kind: "crashed" },
        why: expect.stringContaining("a problem of its own") as string,
      },
    });
  });

  it("forgets earlier crashes when a daemon has run for long", async () => {
    const world = newWorld();
    const end = await world.oversee(["crash", "crash", "crash", "crash", "crash", "0"], {
      settledMs: 0,
    });
    expect(end).toMatchObject({ exitCode: 0, starts: 6 });
  });

  it("kills a daemon without a heartbeat, and no process that it did not start", async () => {
    const world = newWorld();
    const stranger = await anotherDaemon(world);
    expect(await world.oversee(["hang", "0"], { hangMs: HANG_MS })).toMatchObject({
      exitCode: 0,
      starts: 2,
    });
    // It did not hear the polite signal.
    expect(world.daemons[0]?.signalCode).toBe("SIGKILL");
    expect(world.lines[0]).toContain("hung");
    expect(livenessOf(stranger)).toBe("alive");
  });

  it("keeps a daemon with a heartbeat, and passes on a stop", async () => {
    const world = newWorld();
    const stop = new AbortController();
    const end = world.oversee(["live"], {
      hangMs: HANG_MS,
      stop: stop.signal,
      pass: (text) => {
        // It has lived for longer, then, than one that is hung.
        if (text.includes("alive")) setTimeout(() => stop.abort(), 1.5 * HANG_MS);
      },
    });
    expect(await end).toMatchObject({ exitCode: 0, starts: 1, answer: '{"stopped":true}\n' });
    expect(world.daemons[0]?.exitCode).toBe(0);
  });

  it("does not retry a daemon that refuses to start", async () => {
    const world = newWorld();
    expect(await world.oversee(["refuse"])).toMatchObject({
      exitCode: 1,
      starts: 1,
      gaveUp: { why: expect.stringContaining("there is no claude") as string },
    });
  });
});

describe("a failure of the list", () => {
  it("is repaired, and the daemon restarted", async () => {
    const world = newWorld(({ write }) => {
      write("tasks/1.json", TASK);
      return repaired;
    });
    const file = world.write("tasks/1.json", "{ broken");
    expect(await world.oversee(["0"])).toMatchObject({ exitCode: 0, starts: 2, repairs: 1 });
    expect(world.requests).toMatchObject([
      { problems: [{ kind: "invalid-json", file, taskId: "1" }], before: undefined },
    ]);
  });

  it("that prevents the start is repaired too", async () => {
    const world = newWorld(({ write }) => {
      write("context.toml", "");
      return repaired;
    });
    world.write("context.toml", "[ui]\nprolog = 1");
    expect(await world.oversee(["refuse", "0"])).toMatchObject({ exitCode: 0, repairs: 1 });
    expect(world.requests[0]?.problems[0].kind).toBe("context");
  });

  it("that remains is repaired again with its current problem, then given up", async () => {
    const world = newWorld();
    const file = world.write("tasks/1.json", "{ broken");
    expect(await world.oversee(["0"])).toMatchObject({
      exitCode: 1,
      starts: 1,
      repairs: 3,
      gaveUp: { failure: { kind: "invalid-json", file }, why: "It is as broken as before." },
    });
    expect(world.requests.map(({ before }) => before)).toEqual([
      undefined,
      "It is as broken as before.",
      "It is as broken as before.",
    ]);
  });

  it("that returns after each repair is given up too", async () => {
    const world = newWorld(() => repaired);
    const file = join(world.list, "1.json");
    const failure = `fail:${JSON.stringify({ kind: "write-failed", file, message: "No space." })}`;
    expect(await world.oversee([failure])).toMatchObject({ exitCode: 1, starts: 4 });
  });

  it("that needs a person is reported at once", async () => {
    const world = newWorld();
    const failure = { kind: "write-failed", message: "Main is busy.", needsPerson: true };
    expect(await world.oversee([`fail:${JSON.stringify(failure)}`, "0"])).toMatchObject({
      exitCode: 1,
      starts: 1,
      repairs: 0,
      gaveUp: { failure, why: "write-failed: Main is busy." },
    });
  });

  it("of permissions is repaired without a model", async () => {
    const world = newWorld();
    const file = world.write("tasks/1.json", TASK);
    chmodSync(file, 0o000);
    const failure = `fail:${JSON.stringify({ kind: "unreadable", file, taskId: "1", message: "No." })}`;
    expect(await world.oversee([failure, "0"])).toMatchObject({ exitCode: 0, repairs: 0 });
    expect(world.requests).toEqual([]);
    expect(readFileSync(file, "utf8")).toContain("One");
  });

  it("waits for a usage limit with a known end, and does not count the attempt", async () => {
    let isFirst = true;
    const world = newWorld(({ list }) => {
      if (isFirst) {
        isFirst = false;
        return { kind: "limit", reason: "The limit is reached.", resetsAtMs: Date.now() + 50 };
      }
      writeFileSync(join(list, "1.json"), JSON.stringify(TASK));
      return repaired;
    });
    world.write("tasks/1.json", "{ broken");
    const limits = { repairs: 1, pauseMs: 1 };
    expect(await world.oversee(["0"], { limits })).toMatchObject({ exitCode: 0, repairs: 2 });
  });

  it("is not retried forever if the usage limit claims to have ended already", async () => {
    let refusals = 0;
    const triedAt: number[] = [];
    const world = newWorld(({ list }) => {
      triedAt.push(performance.now());
      if (refusals++ < 2)
        return { kind: "limit", reason: "The limit is reached.", resetsAtMs: Date.now() - 60_000 };
      writeFileSync(join(list, "1.json"), JSON.stringify(TASK));
      return repaired;
    });
    world.write("tasks/1.json", "{ broken");
    const limits = { repairs: 1, pauseMs: 200 };
    expect(await world.oversee(["0"], { limits })).toMatchObject({ exitCode: 0, repairs: 3 });
    const [first = 0, , third = 0] = triedAt;
    expect(third - first).toBeGreaterThan(390);
  });

  it("is left to the next overseer when this one is stopped", async () => {
    const stop = new AbortController();
    const world = newWorld(() => {
      stop.abort();
      return { kind: "stopped" };
    });
    world.write("tasks/1.json", "{ broken");
    expect(await world.oversee(["0"], { stop: stop.signal })).toMatchObject({
      exitCode: 1,
      starts: 1,
      gaveUp: undefined,
    });
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  livenessOf,
  startTimeOf,
  thisProcess,
  type ProcessId,
} from "../../machine/processes/process-id.ts";
import { makeInstanceFolder, writeDaemon } from "../../tasks/daemon-files.ts";
import { newWorld, HANG_MS, type World } from "../../../test/support/overseer-world.ts";

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

import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { readRequest, writeWorker, type WorkerFile } from "../../tasks/daemon-files.ts";
import { newSlot, type Slot } from "./worker-slot.ts";

describe("a slot for a worker", () => {
  it("is gone, then starting, then idle", async () => {
    const { slot, work } = newWorker();
    expect(slot.view().state).toBe("gone");
    await slot.start();
    expect(slot.view().state).toBe("starting");
    work({ state: "idle" });
    await slot.check();
    expect(slot.view().state).toBe("idle");
  });

  it("reports once that its worker took a task, and then the result", async () => {
    const { slot, work } = await started();
    slot.give("7", []);
    work({ state: "working", task: "7", subject: "Do it" });
    expect((await slot.check()).took).toEqual({ id: "7", subject: "Do it" });
    expect((await slot.check()).took).toBeUndefined();
    work({ state: "idle", result: { number: 1, taskId: "7", kind: "completed", reason: "Done." } });
    expect((await slot.check()).result).toMatchObject({ taskId: "7", kind: "completed" });
    expect(slot.view().given).toBeUndefined();
  });

  it("reports a task that ended before its start was noticed", async () => {
    const { slot, work } = await started();
    slot.give("7", []);
    work({ state: "idle", result: { number: 1, taskId: "7", kind: "failed", reason: "No." } });
    expect(await slot.check()).toMatchObject({ took: { id: "7" }, result: { kind: "failed" } });
  });

  it("ignores the result of an earlier request", async () => {
    const { slot, work } = await started();
    slot.give("7", []);
    work({ state: "idle", result: { number: 0, taskId: "6", kind: "failed", reason: "No." } });
    expect(await slot.check()).toEqual({ took: undefined, result: undefined });
  });

  it("rests longer after each death without a task", async () => {
    const { slot, clock, work } = newWorker();
    const restMs: number[] = [];
    for (const times of [1, 2, 3]) {
      await slot.start();
      work({ state: "idle", process: DEAD });
      expect((await slot.check()).died).toMatchObject({ times, lastWords: "Out of memory." });
      const from = clock.nowMs;
      while (slot.view().state === "resting") clock.nowMs += 100;
      restMs.push(clock.nowMs - from);
    }
    expect(restMs).toEqual([1_000, 2_000, 4_000]);
  });

  it("does not blame the worker for a death with a task", async () => {
    const { slot, work } = await started();
    slot.give("7", []);
    work({ state: "working", task: "7", process: DEAD });
    expect((await slot.check()).died).toMatchObject({ times: 0 });
  });

  it("expects the end of a worker that was dismissed", async () => {
    const { slot, work, folder } = await started();
    slot.dismiss();
    expect(readRequest(folder, slot.name)).toMatchObject({ end: true });
    work({ state: "ended", process: DEAD });
    expect((await slot.check()).died).toBeUndefined();
  });

  it("checks the session of a worker that stays silent", async () => {
    const { slot, clock, session } = newWorker();
    await slot.start();
    session.isThere = false;
    expect((await slot.check()).died).toBeUndefined();
    clock.nowMs += 3_000;
    expect((await slot.check()).died).toBeDefined();
  });
});

const DEAD = { ...thisProcess(), startTime: "0" };

function newWorker() {
  const folder = newFolder().path;
  const clock = { nowMs: 0 };
  const session = { isThere: true };
  const slot: Slot = newSlot(folder, 1, {} as never, {
    start: async () => ({
      session: "saga-auto-1",
      isThere: async () => session.isThere,
      lastWords: () => "Out of memory.",
    }),
    uptimeMs: () => clock.nowMs,
  });
  const work = (file: Partial<WorkerFile>): void =>
    writeWorker(folder, {
      worker: slot.name,
      process: thisProcess(),
      state: "idle",
      since: "2026-11-15T21:48:00.000Z",
      ...file,
    });
  return { slot, work, folder, clock, session };
}

async function started() {
  const worker = newWorker();
  await worker.slot.start();
  worker.work({ state: "idle" });
  await worker.slot.check();
  return worker;
}

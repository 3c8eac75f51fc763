import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { cpuIn, isActive, meterActivity, timesIn, writtenIn } from "./process-activity.ts";

const MARK = ["SAGA_TEST_ACTIVITY", `${process.pid}.${Date.now()}`] as const;

/** A program that has printed its first line. */
async function started(code: string): Promise<{ readonly nextOutput: () => Promise<unknown> }> {
  const child = spawn(process.execPath, ["-e", `process.stdout.write("."); ${code}`], {
    env: { [MARK[0]]: MARK[1] },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return { nextOutput: () => once(child.stdout, "data") };
}

describe("a program", () => {
  it("that waits is not active", async () => {
    await started("setInterval(() => {}, 1e6)");
    const meter = meterActivity(MARK, () => undefined);
    // Its start counts.
    expect(meter.wasActive(1_000)).toBe(true);
    // Node may still have been starting.
    await expect.poll(() => meter.wasActive(60_000)).toBe(false);
    expect(meter.wasActive(60_000)).toBe(false);
  });

  it("that works or prints is active", async () => {
    const { nextOutput } = await started(
      "setInterval(() => { const end = Date.now() + 20; while (Date.now() < end); process.stdout.write('.'); }, 1)",
    );
    const meter = meterActivity(MARK, () => undefined);
    meter.wasActive(1_000);
    await nextOutput();
    await nextOutput();
    expect(meter.wasActive(1_000)).toBe(true);
  });
});

describe("activity", () => {
  const one = (cpuMs: number, writtenBytes = 0) => new Map([[7, { cpuMs, writtenBytes }]]);

  it("is processor time or written bytes", () => {
    expect(isActive(one(500), one(500), 180_000)).toBe(false);
    expect(isActive(one(500), one(600), 180_000)).toBe(false);
    expect(isActive(one(500), one(900), 180_000)).toBe(true);
    expect(isActive(one(500, 1), one(500, 2), 180_000)).toBe(true);
  });

  it("includes new processes, and not ended ones", () => {
    expect(isActive(new Map(), one(900), 180_000)).toBe(true);
    expect(isActive(one(900), new Map(), 180_000)).toBe(false);
  });
});

it("reads the files of Linux", () => {
  expect(cpuIn("7 (a (b) c) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 70 80 20 0 1 0 99")).toBe(1_610);
  expect(cpuIn("")).toBe(0);
  expect(writtenIn("rchar: 5\nwchar: 123\nsyscr: 1\n")).toBe(123);
});

it("reads the output of ps", () => {
  expect(timesIn(["  501   1:02.50", "7 1-02:03:04", ""])).toEqual([
    [501, { cpuMs: 62_500, writtenBytes: 0 }],
    [7, { cpuMs: 93_784_000, writtenBytes: 0 }],
  ]);
});

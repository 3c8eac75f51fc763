import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { canMount, fill, mounted } from "../../../test/support/disk.ts";
import { openFileLeases } from "./file-leases.ts";
import { startHeartbeat } from "./heartbeat.ts";

it("a beat that fails does not keep the others from running, and is tried again", async () => {
  const beats = await new Promise<string[]>((resolve) => {
    const names: string[] = [];
    const timer = startHeartbeat(
      1,
      () => {
        names.push("first");
        throw new Error("No space left.");
      },
      () => names.push("second") === 4 && resolve(names),
    );
    onTestFinished(() => clearInterval(timer));
  });
  expect(beats).toEqual(["first", "second", "first", "second"]);
});

it("a beat that takes longer than the interval is not started twice", async () => {
  let running = 0;
  let beats = 0;
  await new Promise<void>((resolve) => {
    const timer = startHeartbeat(1, async () => {
      expect(++running).toBe(1);
      await new Promise((done) => setTimeout(done, 10));
      running--;
      if (++beats === 3) resolve();
    });
    onTestFinished(() => clearInterval(timer));
  });
});

describe.skipIf(!canMount)("on a full disk", () => {
  it("a lease cannot be renewed, is still held, and leaves no temporary file", async () => {
    const disk = mounted(64);
    const leases = openFileLeases(disk, { now: Date.now });
    const { lease } = await leases.acquire("x", { owner: "tester", ttlMs: 60_000 });
    fill(disk, 0);
    await expect(lease?.renew()).rejects.toThrow("the disk is full");
    expect(readdirSync(join(disk, "x"))).toEqual(["1.json"]);
    expect(await lease?.isMine()).toBe(true);
  });
});

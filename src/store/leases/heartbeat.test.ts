import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { canMount, fill, mounted } from "../../../test/support/disk.ts";
import { acquireLease } from "./lease.ts";
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

describe.skipIf(!canMount)("on a full disk", () => {
  it("a lease cannot be renewed, is still held, and leaves no temporary file", () => {
    const disk = mounted(64);
    const folder = join(disk, "lease");
    const request = { owner: "tester", ttlMs: 60_000, now: Date.now };
    const { lease } = acquireLease(folder, request);
    fill(disk, 0);
    expect(() => lease?.renew()).toThrow("the disk is full");
    expect(readdirSync(folder)).toEqual(["1.json"]);
    expect(acquireLease(folder, request).heldBy).toMatchObject({ owner: "tester" });
  });
});

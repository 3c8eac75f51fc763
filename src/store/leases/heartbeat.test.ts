import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { canMount, fill, mounted } from "../../../test/support/disk.ts";
import { acquireLease } from "./lease.ts";
import { signsOfLife } from "./heartbeat.ts";

it("one that cannot be given keeps no other from being given, and is tried again", async () => {
  const given = await new Promise<string[]>((resolve) => {
    const signs: string[] = [];
    const timer = signsOfLife(
      1,
      () => {
        signs.push("first");
        throw new Error("No space left.");
      },
      () => signs.push("second") === 4 && resolve(signs),
    );
    onTestFinished(() => clearInterval(timer));
  });
  expect(given).toEqual(["first", "second", "first", "second"]);
});

describe.skipIf(!canMount)("on a disk that is full", () => {
  it("a lease is not renewed, is held all the same, and leaves nothing half written", () => {
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

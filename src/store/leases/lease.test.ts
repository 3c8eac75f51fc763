import { spawnSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { acquireLease, readLease, type Acquired, type LeaseRecord } from "./lease.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const MINUTE = 60_000;

describe("a lease", () => {
  it("identifies its owner by pid, start time and boot", () => {
    const { lease } = acquire(newFolder().path);
    expect(lease?.record).toMatchObject({
      owner: "tester",
      purpose: "work",
      ...thisProcess(),
      takenAt: "2026-11-15T12:00:00.000Z",
      expiresAt: "2026-11-15T12:01:00.000Z",
      generation: 1,
    });
  });

  it("is refused while its owner lives, and the refusal names the owner", () => {
    const { path } = newFolder();
    acquire(path);
    expect(acquire(path).heldBy).toMatchObject({ owner: "tester", pid: process.pid });
  });

  it("is not taken from a living owner even when its expiry has passed", () => {
    const { path } = newFolder();
    acquire(path);
    expect(acquire(path, NOW + 100 * MINUTE).lease).toBeUndefined();
  });

  it("is free again after its release, and the next owner has a higher generation", () => {
    const { path } = newFolder();
    acquire(path).lease?.release();
    expect(readLease(path, "x", NOW)).toBeUndefined();
    expect(acquire(path).lease?.record.generation).toBe(2);
  });

  it("is taken over from a dead owner, and names that owner", () => {
    const { path } = newFolder();
    leave(path, { pid: deadPid() });
    expect(readLease(path, "x", NOW)?.life).toBe("dead");
    const { lease } = acquire(path);
    expect(lease?.tookOverFrom?.owner).toBe("before");
    expect(lease?.record.generation).toBe(2);
  });

  it.each([
    ["the pid belongs to a younger process now", { startTime: "1" }],
    ["the machine was restarted since", { bootId: "an-earlier-boot" }],
  ])("is taken over when %s", (_, change) => {
    const { path } = newFolder();
    leave(path, change);
    expect(acquire(path).lease).toBeDefined();
  });

  it("of an owner in another place holds until it expires", () => {
    const { path } = newFolder();
    leave(path, { place: "another machine" });
    expect(acquire(path, NOW + MINUTE - 1).heldBy?.place).toBe("another machine");
    expect(acquire(path, NOW + MINUTE).lease).toBeDefined();
  });

  it("expires later after it is renewed", () => {
    const { path } = newFolder();
    let now = NOW;
    const { lease } = acquireLease(path, { owner: "tester", ttlMs: MINUTE, now: () => now });
    now += 30_000;
    expect(lease?.renew()).toBe(true);
    expect(readLease(path, "x", now)?.record.expiresAt).toBe("2026-11-15T12:01:30.000Z");
  });

  it("that was taken over cannot be renewed or released by its old owner", () => {
    const { path } = newFolder();
    const { lease: old } = acquire(path);
    leave(path, { place: "another machine" }, 2);
    expect(old?.renew()).toBe(false);
    old?.release();
    expect(acquire(path).heldBy?.place).toBe("another machine");
  });

  it("is not won by a process that acts on an old listing", () => {
    const { path } = newFolder();
    leave(path, { pid: deadPid() });
    // While this process judges the dead owner, others reach generation 3 and remove 1 and 2.
    const now = (): number => {
      if (readdirSync(path).includes("1.json")) {
        rmSync(join(path, "1.json"));
        leave(path, {}, 3);
      }
      return NOW;
    };
    expect(acquireLease(path, { owner: "late", ttlMs: MINUTE, now }).heldBy?.generation).toBe(3);
    expect(readdirSync(path)).toEqual(["3.json"]);
  });

  it("keeps one file, however often it is taken", () => {
    const { path } = newFolder();
    for (let round = 0; round < 5; round++) acquire(path).lease?.release();
    expect(readdirSync(path)).toEqual(["5.json"]);
  });

  it("whose file is not a lease is free", () => {
    const { path } = newFolder();
    writeFileSync(join(path, "4.json"), '{"owner":');
    expect(acquire(path).lease?.record.generation).toBe(5);
  });

  it("has the purpose that its owner asked for", () => {
    const { path } = newFolder();
    acquireLease(path, { owner: "x", purpose: "merge", ttlMs: MINUTE, now: () => NOW });
    expect(readLease(path, "x", NOW)?.record.purpose).toBe("merge");
  });

  it.each([
    ["saga merge", undefined, "merge"],
    ["saga", undefined, "command"],
    ["saga merge", "work", "work"],
    ["saga merge", "of a later version", "merge"],
  ])("of %j with the purpose %j in its file is for: %s", (owner, written, purpose) => {
    const { path } = newFolder();
    const { purpose: _, ...record } = recordOf({ owner });
    writeFileSync(join(path, "1.json"), JSON.stringify({ ...record, purpose: written }));
    expect(readLease(path, "x", NOW)?.record.purpose).toBe(purpose);
  });
});

const acquire = (folder: string, now = NOW): Acquired =>
  acquireLease(folder, { owner: "tester", ttlMs: MINUTE, now: () => now });

function leave(folder: string, change: Partial<LeaseRecord>, generation = 1): void {
  const record = { ...recordOf(change), generation };
  writeFileSync(join(folder, `${generation}.json`), JSON.stringify(record));
}

const recordOf = (change: Partial<LeaseRecord>): LeaseRecord => ({
  owner: "before",
  purpose: "work",
  ...thisProcess(),
  takenAt: new Date(NOW).toISOString(),
  expiresAt: new Date(NOW + MINUTE).toISOString(),
  generation: 1,
  ...change,
});

const deadPid = (): number => spawnSync("true").pid;

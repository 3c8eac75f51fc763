import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canMount, fill, mounted } from "../../../test/support/disk.ts";
import { startOwner } from "../../../test/support/owner-process.ts";
import {
  describeOwnership,
  TTL_MS,
  type OwnershipWorld,
} from "../../../test/support/ownership-contract.ts";
import { bundle } from "../../../test/support/programs.ts";
import { newFolder } from "../../../test/support/project.ts";
import { thisProcess, type ProcessId } from "../../machine/processes/process-id.ts";
import type { Acquired } from "../ownership/ownership.ts";
import { openFileLeases } from "./file-leases.ts";
import type { LeaseRecord, Leases } from "./leases.ts";

describeOwnership("lease files", async (): Promise<OwnershipWorld> => {
  const disk = canMount ? mounted(256) : newFolder().path;
  const folder = join(disk, "leases");
  const program = await bundle("test/support/processes/owner.ts");
  let nowMs = Date.now();
  const open = (owner: string, self?: ProcessId) => {
    const leases = openFileLeases(folder, { now: () => nowMs, self });
    return {
      ...leases,
      acquire: (name: string) => leases.acquire(name, { owner, ttlMs: TTL_MS }),
    };
  };
  return {
    open: (owner) => open(owner),
    openHidden: (owner) => open(owner, { ...thisProcess(), place: "another machine" }),
    start: (owner, { killAt } = {}) => startOwner([program, "leases", folder], owner, killAt),
    advance: (ms) => {
      nowMs += ms;
    },
    failures: {
      "a full disk": canMount
        ? () => {
            fill(disk, 0);
            return () => rmSync(join(disk, "filler"));
          }
        : undefined,
      "a file in place of the folder": () => {
        renameSync(folder, `${folder}.away`);
        writeFileSync(folder, "");
        return () => {
          rmSync(folder);
          renameSync(`${folder}.away`, folder);
        };
      },
    },
  };
});

const NOW = Date.parse("2026-11-15T12:00:00Z");
const MINUTE = 60_000;

describe("a lease in files", () => {
  it("identifies its owner by pid, start time and boot", async () => {
    const { lease } = await acquire(newFolder().path);
    expect(lease?.record).toMatchObject({
      owner: "tester",
      purpose: "work",
      ...thisProcess(),
      takenAt: "2026-11-15T12:00:00.000Z",
      expiresAt: "2026-11-15T12:01:00.000Z",
    });
  });

  it("is not taken from a living process even when its expiry has passed", async () => {
    const { path } = newFolder();
    await acquire(path);
    expect((await acquire(path, NOW + 100 * MINUTE)).lease).toBeUndefined();
  });

  it.each([
    ["its process is gone", { pid: spawnSync("true").pid }],
    ["the pid belongs to a younger process now", { startTime: "1" }],
    ["the machine was restarted since", { bootId: "an-earlier-boot" }],
  ])("is left as soon as %s", async (_, change) => {
    const { path } = newFolder();
    leave(path, change);
    expect((await leasesIn(path).read("x"))?.life).toBe("dead");
    const { lease } = await acquire(path);
    expect(lease).toMatchObject({ fence: 2, tookOverFrom: { owner: "before" } });
  });

  it("is not won by a process that acts on an old listing", async () => {
    const { path } = newFolder();
    leave(path, { place: "another machine" });
    // While this process judges the dead owner, others reach number 3 and remove 1 and 2.
    const now = (): number => {
      if (readdirSync(join(path, "x")).includes("1.json")) {
        rmSync(join(path, "x/1.json"));
        leave(path, {}, 3);
      }
      return NOW + MINUTE;
    };
    const late = openFileLeases(path, { now });
    expect((await late.acquire("x", { owner: "late", ttlMs: MINUTE })).lease).toBeUndefined();
    expect(readdirSync(join(path, "x"))).toEqual(["3.json"]);
  });

  it("is not taken from an owner that renewed just before", async () => {
    const { path } = newFolder();
    leave(path, { place: "another machine" });
    let looks = 0;
    const now = (): number => {
      if (++looks === 2) {
        leave(path, {
          place: "another machine",
          expiresAt: new Date(NOW + 9 * MINUTE).toISOString(),
        });
      }
      return NOW + MINUTE;
    };
    const late = openFileLeases(path, { now });
    const { heldBy } = await late.acquire("x", { owner: "late", ttlMs: MINUTE });
    expect(heldBy?.owner).toBe("before");
    expect(readdirSync(join(path, "x"))).toEqual(["1.json"]);
  });

  it("is lost with its folder, even when numbers have started again", async () => {
    const { path } = newFolder();
    const { lease } = await acquire(path);
    rmSync(join(path, "x"), { recursive: true });
    expect(await lease?.renew()).toBe(false);
    leave(path, {}, 1);
    expect([await lease?.isMine(), await lease?.renew()]).toEqual([false, false]);
    await lease?.release();
    expect((await leasesIn(path).read("x"))?.record.owner).toBe("before");
  });

  it("keeps one file, however often it is taken", async () => {
    const { path } = newFolder();
    for (let round = 0; round < 5; round++) await (await acquire(path)).lease?.release();
    expect(readdirSync(join(path, "x"))).toEqual(["5.json"]);
  });

  it("whose file is not a lease is free", async () => {
    const { path } = newFolder();
    mkdirSync(join(path, "x"));
    writeFileSync(join(path, "x/4.json"), '{"owner":');
    expect((await acquire(path)).lease?.fence).toBe(5);
  });

  it("has the purpose that its owner asked for", async () => {
    const { path } = newFolder();
    await leasesIn(path).acquire("x", { owner: "x", purpose: "merge", ttlMs: MINUTE });
    expect((await leasesIn(path).read("x"))?.record.purpose).toBe("merge");
  });
});

describe("a lease that another process wrote", () => {
  it("is held by its owner", async () => {
    const { path } = newFolder();
    leave(path, {});
    expect((await acquire(path)).heldBy).toMatchObject({ owner: "before", pid: process.pid });
  });

  it("is held until it expires when its owner is in another place", async () => {
    const { path } = newFolder();
    leave(path, { place: "another machine" });
    expect((await acquire(path, NOW + MINUTE - 1)).heldBy?.place).toBe("another machine");
    expect((await acquire(path, NOW + MINUTE)).lease?.fence).toBe(2);
  });

  it("counts as work when its purpose is not known", async () => {
    const { path } = newFolder();
    leave(path, { purpose: "of a later version" as never });
    expect((await leasesIn(path).read("x"))?.record.purpose).toBe("work");
  });
});

const leasesIn = (folder: string, nowMs = NOW): Leases =>
  openFileLeases(folder, { now: () => nowMs });

const acquire = (folder: string, nowMs = NOW): Promise<Acquired<LeaseRecord>> =>
  leasesIn(folder, nowMs).acquire("x", { owner: "tester", ttlMs: MINUTE });

function leave(folder: string, change: Partial<LeaseRecord>, fence = 1): void {
  mkdirSync(join(folder, "x"), { recursive: true });
  writeFileSync(join(folder, `x/${fence}.json`), JSON.stringify(recordOf(change)));
}

const recordOf = (change: Partial<LeaseRecord>): LeaseRecord => ({
  owner: "before",
  purpose: "work",
  ...thisProcess(),
  takenAt: new Date(NOW).toISOString(),
  expiresAt: new Date(NOW + MINUTE).toISOString(),
  ...change,
});

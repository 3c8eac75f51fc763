// What `src/store/ownership/ownership.ts` promises, as tests for any engine. Nothing here knows files, paths or processes
// of an engine: an engine brings a world, and the facts are the same for all.

import { describe, expect, it } from "vitest";
import type { Acquired, Lease, Owned } from "../../src/store/ownership/ownership.ts";
import type { OwnerProcess } from "./owner-process.ts";

/** One that may own things, with a view of its own. */
export interface Contender {
  readonly acquire: (name: string) => Promise<Acquired>;
  readonly read: (name: string) => Promise<Owned | undefined>;
  readonly list: () => Promise<readonly Owned[]>;
}

export interface OwnershipWorld {
  /** In this process. Others may be able to see that it lives. */
  readonly open: (owner: string) => Contender;
  /** The same, but others know of its life only by its renewals. */
  readonly openHidden: (owner: string) => Contender;
  /** In a process of its own. With `killAt`, it is killed at that change of the engine's state. */
  readonly start: (owner: string, options?: { readonly killAt?: number }) => Promise<OwnerProcess>;
  /** Lets time pass for those in this process. */
  readonly advance: (ms: number) => void;
  /** How exactly it does that: the clock of a database keeps running. Default: 1 ms. */
  readonly toleranceMs?: number;
  /** Ways in which the engine can fail. Each returns the way back. */
  readonly failures: Readonly<Record<string, (() => () => void) | undefined>>;
}

/** The ttl of every owner in a world. */
export const TTL_MS = 60_000;

const PROCESSES = 8;
const NAMES = Array.from({ length: 20 }, (_, at) => `thing-${at}`);

export function describeOwnership(engine: string, newWorld: () => Promise<OwnershipWorld>): void {
  describe(`ownership in ${engine}`, () => {
    it("gives a free name to the first, and tells the next who has it", async () => {
      const { open } = await newWorld();
      const [ann, bob] = [open("ann"), open("bob")];
      const lease = await acquired(ann, "thing");
      expect(lease).toMatchObject({ name: "thing", record: { owner: "ann" } });
      expect(lease.tookOverFrom).toBeUndefined();
      expect(await lease.isMine()).toBe(true);
      expect((await bob.acquire("thing")).heldBy).toMatchObject({ owner: "ann" });
      expect(await bob.read("thing")).toMatchObject({
        name: "thing",
        fence: lease.fence,
        record: { owner: "ann" },
        life: "alive",
      });
    });

    it("gives each of many names to exactly one of eight processes that reach for all of them", async () => {
      const { start, advance, open } = await newWorld();
      const fences = new Map<string, number>();
      const observer = open("observer");
      for (let round = 1; round <= 3; round++) {
        await observer.list();
        advance(TTL_MS);
        const crowd = await Promise.all(
          Array.from({ length: PROCESSES }, (_, at) => start(`member-${round}-${at}`)),
        );
        const answers = await Promise.all(crowd.map((member) => member.acquireAll(NAMES)));
        const won = answers.flat();
        expect(won.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
        for (const { name, fence } of won) {
          expect(fence).toBeGreaterThan(fences.get(name) ?? 0);
          fences.set(name, fence);
        }
        // They die with everything in hand.
        await Promise.all(crowd.map((member) => member.kill()));
      }
    });

    it("frees a name by its release", async () => {
      const { open } = await newWorld();
      const [ann, bob] = [open("ann"), open("bob")];
      const first = await acquired(ann, "thing");
      await first.release();
      expect(await bob.read("thing")).toBeUndefined();
      expect(await bob.list()).toEqual([]);
      expect([await first.isMine(), await first.renew()]).toEqual([false, false]);
      const second = await acquired(bob, "thing");
      expect(second.tookOverFrom).toBeUndefined();
      expect((await ann.acquire("thing")).heldBy).toMatchObject({ owner: "bob" });
    });

    it("gives every owner a higher fence than all before it", async () => {
      const { open, openHidden, advance } = await newWorld();
      const fences: number[] = [];
      for (let round = 0; round < 3; round++) {
        const lease = await acquired(open(`open-${round}`), "thing");
        fences.push(lease.fence);
        await lease.release();
        fences.push((await acquired(openHidden(`hidden-${round}`), "thing")).fence);
        const next = open("next");
        await next.read("thing");
        advance(TTL_MS);
        const successor = await acquired(next, "thing");
        fences.push(successor.fence);
        await successor.release();
      }
      expect(fences).toEqual([...new Set(fences)].toSorted((one, other) => one - other));
    });

    it("keeps a name for an owner that renews, however long", async () => {
      const { open, openHidden, advance } = await newWorld();
      const bob = open("bob");
      const lease = await acquired(openHidden("ann"), "thing");
      for (let turn = 0; turn < 5; turn++) {
        expect((await bob.read("thing"))?.life).toBe("alive");
        advance(TTL_MS * 0.6);
        expect(await lease.renew()).toBe(true);
      }
      expect((await bob.acquire("thing")).heldBy).toMatchObject({ owner: "ann" });
    });

    it("counts an owner as dead when it has not renewed for its ttl, and not before", async () => {
      const { open, openHidden, advance, toleranceMs = 1 } = await newWorld();
      const bob = open("bob");
      const late = await acquired(openHidden("ann"), "thing");
      expect((await bob.read("thing"))?.life).toBe("alive");
      advance(TTL_MS - toleranceMs);
      expect((await bob.acquire("thing")).heldBy).toMatchObject({ owner: "ann" });
      advance(toleranceMs);
      expect(await bob.read("thing")).toMatchObject({ record: { owner: "ann" }, life: "dead" });
      const lease = await acquired(bob, "thing");
      expect(lease.tookOverFrom).toMatchObject({ owner: "ann" });
      expect(lease.fence).toBeGreaterThan(late.fence);
    });

    it("leaves a name to an owner that renews late, if no other has taken it", async () => {
      const { open, openHidden, advance } = await newWorld();
      const bob = open("bob");
      const lease = await acquired(openHidden("ann"), "thing");
      await bob.read("thing");
      advance(TTL_MS * 2);
      expect(await lease.renew()).toBe(true);
      expect((await bob.acquire("thing")).heldBy).toMatchObject({ owner: "ann" });
    });

    it("tells an owner that comes back that it has lost, and lets it change nothing", async () => {
      const { open, openHidden, advance } = await newWorld();
      const [bob, eve] = [open("bob"), open("eve")];
      const old = await acquired(openHidden("ann"), "thing");
      await bob.read("thing");
      advance(TTL_MS);
      const lease = await acquired(bob, "thing");
      expect([await old.renew(), await old.isMine()]).toEqual([false, false]);
      await old.release();
      expect(await lease.isMine()).toBe(true);
      expect((await eve.acquire("thing")).heldBy).toMatchObject({ owner: "bob" });
      await lease.release();
      await old.release();
      expect((await acquired(eve, "thing")).fence).toBeGreaterThan(lease.fence);
    });

    it("lets exactly one take over from a process that was killed, and names the previous owner", async () => {
      const { open, start, advance } = await newWorld();
      const contenders = ["bob", "eve", "joe"].map(open);
      const member = await start("ann");
      const [won] = await member.acquireAll(["thing"]);
      for (const one of contenders) await one.read("thing");
      await member.kill();
      advance(TTL_MS);
      const all = await Promise.all(contenders.map((one) => one.acquire("thing")));
      const leases = all.flatMap(({ lease }) => lease ?? []);
      expect(leases).toHaveLength(1);
      expect(leases[0]?.tookOverFrom).toMatchObject({ owner: "ann" });
      expect(leases[0]?.fence).toBeGreaterThan(won?.fence ?? Infinity);
    });

    it("lists everything that is owned, with the life of its owner", async () => {
      const { open, openHidden, advance } = await newWorld();
      const [ann, bob] = [openHidden("ann"), open("bob")];
      const [, kept] = [await acquired(ann, "left"), await acquired(openHidden("joe"), "kept")];
      await (await acquired(ann, "released")).release();
      const lives = async (): Promise<string[]> =>
        (await bob.list()).map(({ name, record, life }) => `${name} ${record.owner} ${life}`);
      expect((await lives()).toSorted()).toEqual(["kept joe alive", "left ann alive"]);
      advance(TTL_MS);
      await kept.renew();
      expect((await lives()).toSorted()).toEqual(["kept joe alive", "left ann dead"]);
    });

    it("loses nothing and gives nothing out twice when an owner is killed at any change", async () => {
      const { open, start, advance } = await newWorld();
      let highest = 0;
      let kills = 0;
      for (let killAt = 1; ; killAt++) {
        const member = await start(`killed-${killAt}`, { killAt });
        const { fences, isKilled } = await member.cycle("thing");
        for (const fence of fences) expect(fence, `killed at ${killAt}`).toBeGreaterThan(highest);
        highest = Math.max(highest, ...fences);
        const next = open("next");
        const left = await next.read("thing");
        advance(TTL_MS);
        const lease = await acquired(next, "thing");
        expect(lease.tookOverFrom?.owner, `killed at ${killAt}`).toBe(left?.record.owner);
        expect(lease.fence, `killed at ${killAt}`).toBeGreaterThan(highest);
        highest = lease.fence;
        await lease.release();
        if (!isKilled) break;
        kills++;
      }
      expect(kills).toBeGreaterThanOrEqual(5);
      expect(await open("last").list()).toEqual([]);
    });

    it("never shows a reader half of a record, nor an earlier owner", async () => {
      const { open, start } = await newWorld();
      const member = await start("writer");
      const writing = member.cycleUntilEnd("thing");
      const reader = open("reader");
      const reads: Owned[] = [];
      while (new Set(reads.map(({ fence }) => fence)).size < 50) {
        const owned = await reader.read("thing");
        if (owned) reads.push(owned);
        await new Promise(setImmediate);
      }
      await member.end();
      await writing;
      const whole = { name: "thing", record: { owner: "writer" }, life: "alive" };
      for (const owned of reads) expect(owned).toMatchObject(whole);
      const fences = reads.map(({ fence }) => fence);
      expect(fences).toEqual(fences.toSorted((one, other) => one - other));
    });

    it.each(["", "..", "../thing", "a/b", "a b", ".thing", "Thing\0"])(
      "refuses a name that is not plain: %j",
      async (name) => {
        const ann = (await newWorld()).open("ann");
        await expect(ann.acquire(name)).rejects.toMatchObject({ code: "bad-id" });
        await expect(ann.read(name)).rejects.toMatchObject({ code: "bad-id" });
      },
    );

    it("fails when the engine fails, and gives nothing out by that", async () => {
      const { open, failures } = await newWorld();
      const [ann, bob] = [open("ann"), open("bob")];
      const lease = await acquired(ann, "thing");
      for (const [name, fail] of Object.entries(failures)) {
        if (!fail) continue;
        const restore = fail();
        const answers = {
          other: await attempt(async () => (await bob.acquire("other")).lease?.fence ?? 0),
          holder: await attempt(async () => (await bob.acquire("thing")).heldBy?.owner ?? "free"),
          owner: await attempt(async () => (await bob.read("thing"))?.record.owner ?? "free"),
          isRenewed: await attempt(() => lease.renew()),
        };
        expect(answers, name).toEqual({
          other: "failed",
          holder: expect.toBeOneOf(["failed", "ann"]) as string,
          owner: expect.toBeOneOf(["failed", "ann"]) as string,
          isRenewed: expect.toBeOneOf(["failed", true]) as boolean,
        });
        restore();
        expect(await lease.renew(), name).toBe(true);
        expect(await bob.read("other"), name).toBeUndefined();
        expect((await bob.acquire("thing")).heldBy, name).toMatchObject({ owner: "ann" });
      }
    });
  });
}

/** The lease. Fails with the owner if another has it. */
async function acquired(contender: Contender, name: string): Promise<Lease> {
  const { lease, heldBy } = await contender.acquire(name);
  if (lease) return lease;
  throw new Error(`${name} is held by ${heldBy.owner}.`);
}

const attempt = <T>(act: () => Promise<T>): Promise<T | "failed"> =>
  act().catch(() => "failed" as const);

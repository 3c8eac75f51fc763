import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rmSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import { openFileLeases } from "../../store/leases/file-leases.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import type { Leases } from "../../store/leases/leases.ts";
import { openDatabase, type Database } from "../engine/database.ts";
import { openDatabaseLeases } from "../engine/leases.ts";
import { createSchema, schemaOf } from "../engine/schema.ts";
import { isShared, openSharedLeases } from "./shared-leases.ts";

const postgres = usePostgres();
const REQUEST = { owner: "a worker", ttlMs: 90_000 };
const SCHEMA = schemaOf("shop");

async function newFleet(): Promise<{ database: Database; open: (machine: string) => Machine }> {
  const database = openDatabase(await newDatabase(await postgres()));
  onTestFinished(() => database.close());
  await createSchema(database, { fleet: "shop", root: "a".repeat(40) }, Buffer.alloc(32));
  return { database, open: (machine) => newMachine(database, machine) };
}

interface Machine {
  readonly leases: Leases;
  readonly local: Leases;
  /** Passes time on this machine alone. */
  readonly advance: (seconds: number) => void;
  /** Whether the database can be reached from it. */
  readonly connect: (isUp: boolean) => void;
}

function newMachine(database: Database, machine: string): Machine {
  const folder = join(tmpdir(), `saga-leases-${randomUUID()}`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const local = openFileLeases(folder, { now: Date.now });
  let [seconds, isUp] = [0, true];
  const query: Database["query"] = (...words) =>
    isUp ? database.query(...words) : Promise.reject(new Error("unreachable"));
  const shared = async () => ({
    machine,
    leases: openDatabaseLeases({ query }, SCHEMA, { machine }),
  });
  return {
    local,
    leases: openSharedLeases({ local, shared, uptimeSeconds: () => seconds }),
    advance: (by) => void (seconds += by),
    connect: (up) => void (isUp = up),
  };
}

it("sees at once that a process of this machine has died, and elsewhere after its time", async () => {
  const { database, open } = await newFleet();
  const [ann, bob] = [open("ann"), open("bob")];
  const dead = { ...thisProcess(), bootId: "an earlier one" };
  const killed = openDatabaseLeases(database, SCHEMA, { machine: "ann", self: dead });
  await killed.acquire("story.x", { owner: "saga discard", ttlMs: 30_000 });
  const lives = async ({ leases }: Machine): Promise<unknown[]> => [
    (await leases.read("story.x"))?.life,
    (await leases.look())("story.x")?.life,
    ...(await leases.list()).map(({ life }) => life),
  ];
  expect(await lives(ann)).toEqual(["dead", "dead", "dead"]);
  expect(await lives(bob)).toEqual(["alive", "alive", "alive"]);
});

it("gives a story to one machine, and tells the others which", async () => {
  const { open } = await newFleet();
  const [ann, bob] = [open("ann"), open("bob")];
  const { lease } = await ann.leases.acquire("story.x", REQUEST);
  expect(lease).toMatchObject({ fence: 1, record: { machine: "ann" } });
  expect((await bob.leases.acquire("story.x", REQUEST)).heldBy).toMatchObject({
    owner: "a worker on ann",
  });
  // A lease that it did not get is not kept here either.
  expect(await bob.local.read("story.x")).toBeUndefined();
  expect(await bob.leases.read("story.x")).toMatchObject({ life: "alive", fence: 1 });
  expect((await bob.leases.look())("story.x")?.record.owner).toBe("a worker on ann");
  expect(await bob.leases.list()).toMatchObject([{ name: "story.x" }]);
  await lease?.release();
  expect((await bob.leases.acquire("story.x", REQUEST)).lease?.fence).toBe(2);
});

it("holds without the database until its row would have expired, and no longer", async () => {
  const { open } = await newFleet();
  const ann = open("ann");
  const { lease } = await ann.leases.acquire("story.x", REQUEST);
  ann.connect(false);
  ann.advance(29);
  await expect(lease?.renew()).rejects.toThrow("unreachable");
  ann.connect(true);
  expect(await lease?.renew()).toBe(true);
  ann.connect(false);
  ann.advance(31);
  expect(await lease?.renew()).toBe(false);
  // It does not come back to life: its worker has begun to end.
  ann.connect(true);
  expect([await lease?.renew(), await lease?.isMine()]).toEqual([false, false]);
});

it("loses a lease that another machine took while it slept", async () => {
  const { open, database } = await newFleet();
  const [ann, bob] = [open("ann"), open("bob")];
  const { lease } = await ann.leases.acquire("story.x", REQUEST);
  await database.query(`UPDATE ${SCHEMA}.lease SET renewed_at = now() - interval '31 seconds'`);
  const { lease: second } = await bob.leases.acquire("story.x", REQUEST);
  expect(second).toMatchObject({ fence: 2, tookOverFrom: { machine: "ann" } });
  expect(await lease?.renew()).toBe(false);
  await lease?.release();
  expect(await second?.renew()).toBe(true);
});

it("takes over at once from a dead process of the same machine", async () => {
  const { open, database } = await newFleet();
  const dead = { pid: 2 ** 22 - 3, startTime: "1" };
  const ann = open("ann");
  const { lease } = await ann.leases.acquire("story.x", REQUEST);
  const record = JSON.stringify({ ...lease?.record, ...dead });
  await database.query(`UPDATE ${SCHEMA}.lease SET record = $1`, [record]);
  const bob = open("bob");
  expect((await bob.leases.acquire("story.x", REQUEST)).heldBy).toMatchObject(dead);
  expect((await open("ann").leases.acquire("story.x", REQUEST)).lease?.fence).toBe(2);
});

it("gives nothing out while the database cannot be reached, and shows what this machine knows", async () => {
  const { open } = await newFleet();
  const ann = open("ann");
  await ann.leases.acquire("story.x", REQUEST);
  ann.connect(false);
  await expect(ann.leases.acquire("story.y", REQUEST)).rejects.toThrow("unreachable");
  expect(await ann.local.read("story.y")).toBeUndefined();
  expect((await ann.leases.look())("story.x")?.life).toBe("alive");
  expect(await ann.leases.list()).toMatchObject([{ name: "story.x" }]);
});

it.each([
  ["story.add-login", true],
  ["epic.shop", true],
  ["lane.lane-remote-main-12345678", true],
  ["lane.lane-here-main-12345678", false],
  ["story.auto-1", false],
  ["auto-slot.1", false],
  ["dashboard", false],
])("%s is of the whole fleet: %s", (name, expected) => {
  expect(isShared(name)).toBe(expected);
});

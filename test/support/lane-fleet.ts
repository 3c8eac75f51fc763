// A fleet's lanes in a real PostgreSQL, with the queues of its machines. One database for all tests of a file, and a fleet for
// each of them.

import { randomBytes } from "node:crypto";
import { afterAll, onTestFinished } from "vitest";
import { openDatabase, type Database } from "../../src/fleet/engine/database.ts";
import { openDatabaseLeases } from "../../src/fleet/engine/leases.ts";
import { createSchema, schemaOf } from "../../src/fleet/engine/schema.ts";
import { openLaneTable } from "../../src/fleet/lanes/lane-table.ts";
import { openSharedQueue } from "../../src/fleet/lanes/shared-queue.ts";
import type { Exchange } from "../../src/fleet/records/exchange-runs.ts";
import { laneId } from "../../src/landing/lane-id.ts";
import { laneLease } from "../../src/store/leases/lease-names.ts";
import { layoutOf, type Layout } from "../../src/store/project/layout.ts";
import { openQueue } from "../../src/store/queue/file-queue.ts";
import type { LandingQueue } from "../../src/store/queue/queue.ts";
import type { Lane, EntryRequest } from "../../src/story/landing/entry.ts";
import { newDatabase, usePostgres } from "./postgres.ts";
import { newFolder } from "./project.ts";

export const MAIN: Lane = { branch: "main", place: "remote" };
export const COMMIT = "a".repeat(40);
export const LANDED = { tip: COMMIT, onto: COMMIT, commit: COMMIT };

export const sharedStory = (name: string, more: Partial<EntryRequest> = {}): EntryRequest => ({
  kind: "story",
  name,
  lane: MAIN,
  priority: 2,
  by: "saga merge",
  after: [],
  checks: ["npm test"],
  ...more,
});

export interface LaneMachine {
  readonly at: Layout;
  readonly queue: LandingQueue;
  /** This process, as that machine, lands. Returns the end of that. */
  readonly land: () => Promise<() => Promise<void>>;
  /** Another process of it. */
  readonly reopen: () => LandingQueue;
}

export interface LaneFleet {
  readonly query: Database["query"];
  readonly schema: string;
  readonly machine: (name: string) => LaneMachine;
  /** The stories whose records were sent. */
  readonly sent: readonly string[];
}

/** Call it at the top of a test file. */
export function useLaneFleet(): () => Promise<LaneFleet> {
  const postgres = usePostgres();
  let shared: Promise<Database> | undefined;
  afterAll(async () => {
    await (await shared)?.close();
    shared = undefined;
  });
  return async () => {
    shared ??= newDatabase(await postgres()).then((url) => openDatabase(url, { connections: 6 }));
    return newLaneFleet(await shared);
  };
}

async function newLaneFleet(database: Database): Promise<LaneFleet> {
  const fleet = `f${randomBytes(6).toString("hex")}`;
  await createSchema(database, { fleet, root: "a".repeat(40) }, Buffer.alloc(32));
  const schema = schemaOf(fleet);
  const sent: string[] = [];
  const exchange: Exchange = {
    send: async (storyId) => void sent.push(storyId),
    receive: async () => [],
  };
  const open = (machine: string, at: Layout): LandingQueue =>
    openSharedQueue({
      at,
      local: openQueue(at, Date.now),
      shared: async () => ({ table: openLaneTable(database, schema, machine), exchange }),
    });
  /** This process, as that machine, lands. */
  const land = async (machine: string): Promise<() => Promise<void>> => {
    const leases = openDatabaseLeases(database, schema, { machine });
    const { lease } = await leases.acquire(laneLease(laneId(MAIN)), { owner: "x", ttlMs: 60_000 });
    if (!lease) throw new Error("The lane is not free.");
    onTestFinished(() => lease.release());
    return () => lease.release();
  };
  const machine = (name: string) => {
    const at = layoutOf(newFolder().path);
    return { at, queue: open(name, at), land: () => land(name), reopen: () => open(name, at) };
  };
  return { query: database.query, schema, machine, sent };
}

import { expect, it, onTestFinished } from "vitest";
import { startOwner } from "../../../test/support/owner-process.ts";
import {
  describeOwnership,
  TTL_MS,
  type Contender,
  type OwnershipWorld,
} from "../../../test/support/ownership-contract.ts";
import {
  asking,
  newDatabase,
  ownPostgres,
  usePostgres,
  type PostgresAddress,
} from "../../../test/support/postgres.ts";
import { bundle } from "../../../test/support/programs.ts";
import { openDatabase, type Database } from "./database.ts";
import { openDatabaseLeases } from "./leases.ts";
import { createSchema, schemaOf } from "./schema.ts";

const postgres = usePostgres();
const FLEET = { fleet: "shop", root: "a".repeat(40) };
const SCHEMA = schemaOf(FLEET.fleet);

async function newFleet(
  server?: PostgresAddress,
): Promise<{ readonly url: string; readonly database: Database }> {
  const url = await newDatabase(server ?? (await postgres()));
  const database = openDatabase(url, { connections: 4, connectTimeoutMs: 1_000 });
  onTestFinished(() => database.close());
  await createSchema(database, FLEET, Buffer.alloc(32));
  return { url, database };
}

describeOwnership("PostgreSQL", async (): Promise<OwnershipWorld> => {
  const { url, database } = await newFleet();
  const program = await bundle("test/support/processes/owner.ts");
  let applied: Promise<unknown> = Promise.resolve();
  /** Time passes in the database: what was renewed is that much longer ago. */
  const advance = (ms: number): void => {
    applied = database.query(
      `UPDATE ${SCHEMA}.lease SET renewed_at = renewed_at - $1 * interval '1 millisecond'`,
      [ms],
    );
  };
  const open = (owner: string): Contender => {
    const query: Database["query"] = async (text, values) => {
      await applied;
      return database.query(text, values);
    };
    const leases = openDatabaseLeases({ query }, SCHEMA, { machine: owner });
    return { ...leases, acquire: (name) => leases.acquire(name, { owner, ttlMs: TTL_MS }) };
  };
  return {
    open,
    openHidden: open,
    async start(owner, { killAt } = {}) {
      await applied;
      return startOwner([program, "database", `${url} ${SCHEMA}`], owner, killAt);
    },
    advance,
    toleranceMs: 20_000,
    failures: {
      "a table that cannot be written": () => {
        const rename = (from: string, to: string): void => {
          applied = applied.then(() =>
            database.query(`ALTER TABLE ${SCHEMA}.${from} RENAME TO ${to}`),
          );
        };
        rename("lease", "away");
        return () => rename("away", "lease");
      },
    },
  };
});

it("is given out again only after a restart of the server that lasted longer than its ttl", async () => {
  const server = await ownPostgres();
  const { database } = await newFleet(server);
  const leases = (machine: string) => openDatabaseLeases(database, SCHEMA, { machine });
  const request = { owner: "a worker", ttlMs: TTL_MS };
  const { lease } = await leases("ann").acquire("story.x", request);
  await server.stop("immediate");
  await expect(lease?.renew()).rejects.toMatchObject({
    code: "program-failed",
    message: expect.stringContaining("cannot be reached") as string,
  });
  await server.start();
  expect((await leases("bob").acquire("story.x", request)).heldBy).toMatchObject({
    machine: "ann",
  });
  expect(await lease?.renew()).toBe(true);
});

it("ignores a row that no Saga wrote", async () => {
  const { database } = await newFleet();
  await database.query(
    `INSERT INTO ${SCHEMA}.lease (name, fence, record, ttl) VALUES ('story.x', 7, $1, '1 hour')`,
    [JSON.stringify({ owner: 7, purpose: "rm -rf" })],
  );
  const leases = openDatabaseLeases(database, SCHEMA, { machine: "ann" });
  expect(await leases.list()).toEqual([]);
  expect(await leases.read("story.x")).toBeUndefined();
});

it("a database that was created again does not take an earlier owner for the present one", async () => {
  const { url, database } = await newFleet();
  const leases = openDatabaseLeases(database, SCHEMA, { machine: "ann" });
  const request = { owner: "a worker", ttlMs: TTL_MS };
  const { lease } = await leases.acquire("story.x", request);
  await asking(url, ({ query }) => query(`DROP SCHEMA ${SCHEMA} CASCADE`));
  await createSchema(database, FLEET, Buffer.alloc(32));
  const next = await leases.acquire("story.x", request);
  expect(next.lease?.fence).toBe(lease?.fence);
  expect([await lease?.renew(), await next.lease?.renew()]).toEqual([false, true]);
});

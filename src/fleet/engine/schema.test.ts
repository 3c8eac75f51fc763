import { expect, it, onTestFinished } from "vitest";
import { asking, newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import { openDatabase, type Database } from "./database.ts";
import { openDatabaseLeases } from "./leases.ts";
import { createSchema, grantsFor, readSealingKey, requireSchema, schemaOf } from "./schema.ts";

const postgres = usePostgres();
const SHOP = { fleet: "shop", root: "a".repeat(40) };
const BLOG = { fleet: "blog", root: "b".repeat(40) };
const KEY = Buffer.alloc(32);

async function opened(): Promise<{ readonly url: string; readonly database: Database }> {
  const url = await newDatabase(await postgres());
  const database = openDatabase(url);
  onTestFinished(() => database.close());
  return { url, database };
}

it("is created once, also by two people at the same moment", async () => {
  const { database } = await opened();
  await expect(requireSchema(database, SHOP)).rejects.toMatchObject({ code: "not-ready" });
  await Promise.all([1, 2, 3].map(() => createSchema(database, SHOP, KEY)));
  await requireSchema(database, SHOP);
});

it("refuses another repository under the same name, and a newer version", async () => {
  const { database } = await opened();
  await createSchema(database, SHOP, KEY);
  const other = { ...SHOP, root: "another" };
  await expect(createSchema(database, other, KEY)).rejects.toMatchObject({
    code: "in-use",
    message: "The fleet shop belongs to another repository.",
  });
  // Nor are its tables completed.
  await database.query(`DROP TABLE ${schemaOf("shop")}.epic_run`);
  await expect(createSchema(database, other, KEY)).rejects.toMatchObject({ code: "in-use" });
  await database.query(`UPDATE ${schemaOf("shop")}.meta SET version = 1000`);
  await expect(createSchema(database, SHOP, KEY)).rejects.toMatchObject({ code: "not-ready" });
  expect(await database.query("SELECT 1 FROM pg_tables WHERE tablename = 'epic_run'")).toEqual([]);
  await expect(requireSchema(database, SHOP)).rejects.toMatchObject({
    code: "not-ready",
    hint: expect.stringContaining("Update Saga") as string,
  });
});

it("gives a fleet of an older Saga the tables that it lacks, and says so before", async () => {
  const { database } = await opened();
  await createSchema(database, SHOP, KEY);
  const schema = schemaOf("shop");
  const tables = ["lane_entry", "lane_now", "lane_batch"];
  for (const table of tables) await database.query(`DROP TABLE ${schema}.${table}`);
  await database.query(`UPDATE ${schema}.meta SET version = 1`);
  await expect(requireSchema(database, SHOP)).rejects.toMatchObject({
    code: "not-ready",
    message: "An older Saga set up the fleet shop: it lacks tables.",
    hint: expect.stringContaining("`saga fleet init`") as string,
  });
  await createSchema(database, SHOP, Buffer.alloc(32, 1));
  await requireSchema(database, SHOP);
  for (const table of tables) await database.query(`SELECT * FROM ${schema}.${table}`);
  // Records that were sealed before still count.
  expect(await readSealingKey(database, "shop")).toEqual(KEY);
});

it("refuses a server that is too old, before anything is created", async () => {
  const asked: string[] = [];
  const old = {
    async query<Row>(text: string) {
      asked.push(text);
      return [{ version: "120022" }] as Row[];
    },
  };
  const creating = createSchema(old as unknown as Database, SHOP, KEY);
  await expect(creating).rejects.toThrow("needs PostgreSQL 13 or newer, and this is 12");
  expect(asked).toHaveLength(1);
});

it("lets a member change its own project's rows and no other's", async () => {
  const { url, database } = await opened();
  for (const one of [SHOP, BLOG]) await createSchema(database, one, KEY);
  const role = `member_${url.slice(-12)}`;
  await database.query(`CREATE ROLE ${role} LOGIN`);
  for (const grant of grantsFor("shop", role).filter((one) => !one.includes("_jobs"))) {
    await database.query(grant);
  }
  await asking(url.replace("saga@", `${role}@`), async (member) => {
    const leases = (fleet: string) =>
      openDatabaseLeases(member, schemaOf(fleet), { machine: "ann" });
    const request = { owner: "a worker", ttlMs: 1_000 };
    expect((await leases("shop").acquire("story.x", request)).lease?.fence).toBe(1);
    await expect(leases("blog").acquire("story.x", request)).rejects.toMatchObject({
      message: "The database user lacks a right that this needs.",
    });
    await expect(member.query(`DROP TABLE ${schemaOf("shop")}.lease`)).rejects.toThrow(
      "lacks a right",
    );
  });
});

import { expect, it, onTestFinished } from "vitest";
import { newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import { runSchema, type RunEvent } from "../../story/state/run.ts";
import { openDatabase } from "../engine/database.ts";
import { createSchema, schemaOf } from "../engine/schema.ts";
import { openRecords, storedRun } from "./records.ts";

const postgres = usePostgres();
const AT = "2026-11-18T10:00:00.000Z";
const RUN = runSchema.parse({ id: "20261118T100000000Z-1a2b3c", story: "cart", startedAt: AT });
const events = (count: number): RunEvent[] =>
  Array.from({ length: count }, (_, at) => ({ at: AT, type: `event-${at}` }));

async function newRecords() {
  const database = openDatabase(await newDatabase(await postgres()));
  onTestFinished(() => database.close());
  await createSchema(database, { fleet: "shop", root: "a".repeat(40) }, Buffer.alloc(32));
  return { database, records: openRecords(database, schemaOf("shop")) };
}

it("stores each event once, also in several batches and when it is repeated", async () => {
  const { records } = await newRecords();
  const all = events(450);
  await records.save(RUN, "ann", all.slice(0, 300), 0);
  await records.save({ ...RUN, costUsd: 1.5 }, "ann", all.slice(100), 100);
  expect(await records.eventCount("cart", RUN.id)).toBe(450);
  expect(await records.events("cart", RUN.id, 0)).toEqual(all);
  expect(await records.events("cart", RUN.id, 448)).toEqual(all.slice(448));
  expect(await records.costs()).toEqual([{ story: "cart", machine: "ann", runs: 1, costUsd: 1.5 }]);
});

it("gives others what changed since they last asked", async () => {
  const { records } = await newRecords();
  await records.save(RUN, "ann", events(1), 0);
  const [first] = await records.changes({ not: "bob" });
  expect(first).toMatchObject({ machine: "ann", run: { id: RUN.id } });
  expect(await records.changes({ not: "ann" })).toEqual([]);
  expect(await records.changes({ not: "bob", since: first?.updatedAt })).toEqual([]);
  expect(await records.changes({ not: "bob", story: "price" })).toEqual([]);
  await records.save({ ...RUN, endedAt: AT }, "ann", [], 1);
  expect(await records.changes({ not: "bob", since: first?.updatedAt })).toHaveLength(1);
});

it("lets no machine change the run of another", async () => {
  const { records } = await newRecords();
  await records.save(RUN, "ann", events(1), 0);
  await records.save({ ...RUN, costUsd: 99 }, "eve", [], 1);
  expect(await records.costs()).toMatchObject([{ machine: "ann", costUsd: 0 }]);
});

it("leaves out an event that is too large, and says so", async () => {
  const { records } = await newRecords();
  await records.save(RUN, "ann", [{ at: AT, type: "x", text: "y".repeat(300_000) }], 0);
  expect(await records.events("cart", RUN.id, 0)).toEqual([
    { at: AT, type: "warning", message: "An event of 300 kB was left out (x)." },
  ]);
});

it("waits for an event that is missing", async () => {
  const { records } = await newRecords();
  await records.save(RUN, "ann", events(2), 0);
  await records.save(RUN, "ann", events(1), 3);
  expect(await records.events("cart", RUN.id, 0)).toHaveLength(2);
});

it("deletes what is old", async () => {
  const { records, database } = await newRecords();
  await records.save(RUN, "ann", events(1), 0);
  await records.removeOlderThan(30);
  expect(await records.eventCount("cart", RUN.id)).toBe(1);
  const schema = schemaOf("shop");
  await database.query(`UPDATE ${schema}.event SET at = now() - interval '31 days'`);
  await records.removeOlderThan(30);
  expect(await records.eventCount("cart", RUN.id)).toBe(0);
});

it.each([
  { story: "../../x", run: RUN.id, machine: "ann", body: { ...RUN, story: "../../x" } },
  { story: "cart", run: "../x", machine: "ann", body: { ...RUN, id: "../x" } },
  { story: "cart", run: RUN.id, machine: "../x", body: RUN },
  { story: "price", run: RUN.id, machine: "ann", body: RUN },
  { story: "cart", run: RUN.id, machine: "ann", body: "text" },
])("ignores a row that no Saga wrote: %j", (row) => {
  expect(storedRun({ ...row, changed: "" })).toBeUndefined();
});

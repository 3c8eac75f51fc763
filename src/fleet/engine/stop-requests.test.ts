import { expect, it, onTestFinished } from "vitest";
import { newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import { openDatabase } from "./database.ts";
import { openDatabaseLeases } from "./leases.ts";
import { createSchema, schemaOf } from "./schema.ts";
import { openStopRequests } from "./stop-requests.ts";

const postgres = usePostgres();

it("asks the present owner to end, and no later one; a person's stop counts more than a spent budget", async () => {
  const database = openDatabase(await newDatabase(await postgres()));
  onTestFinished(() => database.close());
  await createSchema(database, { fleet: "shop", root: "a".repeat(40) }, Buffer.alloc(32));
  const requests = openStopRequests(database, schemaOf("shop"));
  const leases = openDatabaseLeases(database, schemaOf("shop"), { machine: "ann" });
  const { lease } = await leases.acquire("story.cart", { owner: "x", ttlMs: 1000 });
  const drain = { story: "cart", fence: 1, by: "bob", spentBudgetUsd: 2.5 };
  expect(await requests.find("cart", "ann")).toBeUndefined();
  await requests.request(drain);
  expect(await requests.find("cart", "ann")).toEqual({ kind: "drain", budgetUsd: 2.5 });
  await requests.request({ story: "cart", fence: 1, by: "bob" });
  await requests.request(drain);
  expect(await requests.find("cart", "ann")).toEqual({ kind: "stop" });
  expect(await requests.find("cart", "bob")).toBeUndefined();
  await lease?.release();
  await leases.acquire("story.cart", { owner: "x", ttlMs: 1000 });
  expect(await requests.find("cart", "ann")).toBeUndefined();
});

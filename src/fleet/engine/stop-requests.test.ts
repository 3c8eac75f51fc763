import { expect, it, onTestFinished } from "vitest";
import { newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import { openDatabase } from "./database.ts";
import { openDatabaseLeases } from "./leases.ts";
import { createSchema, schemaOf } from "./schema.ts";
import { openStopRequests } from "./stop-requests.ts";

const postgres = usePostgres();

it("asks the present owner to stop, and no later one", async () => {
  const database = openDatabase(await newDatabase(await postgres()));
  onTestFinished(() => database.close());
  await createSchema(database, { fleet: "shop", root: "a".repeat(40) }, Buffer.alloc(32));
  const requests = openStopRequests(database, schemaOf("shop"));
  const leases = openDatabaseLeases(database, schemaOf("shop"), { machine: "ann" });
  const { lease } = await leases.acquire("story.cart", { owner: "x", ttlMs: 1000 });
  expect(await requests.isRequested("cart", "ann")).toBe(false);
  await requests.request({ story: "cart", fence: 1, by: "bob" });
  expect(await requests.isRequested("cart", "ann")).toBe(true);
  expect(await requests.isRequested("cart", "bob")).toBe(false);
  await lease?.release();
  await leases.acquire("story.cart", { owner: "x", ttlMs: 1000 });
  expect(await requests.isRequested("cart", "ann")).toBe(false);
});

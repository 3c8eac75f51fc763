import { expect, it } from "vitest";
import { asking, newDatabase, usePostgres } from "../../test/support/postgres.ts";
import { createSchema } from "./engine/schema.ts";
import { machineName, openFleet, slugOf } from "./fleet.ts";

const postgres = usePostgres();
const FLEET = { fleet: "shop", root: "a".repeat(40) };

it("opens the fleet of this repository, and no other", async () => {
  const SAGA_FLEET_URL = await newDatabase(await postgres());
  const env = { SAGA_FLEET_URL, SAGA_FLEET_MACHINE: "ann" };
  await expect(openFleet({ ...FLEET, env })).rejects.toThrow("The database has no fleet shop.");
  await asking(SAGA_FLEET_URL, (database) => createSchema(database, FLEET, Buffer.alloc(32)));
  const fleet = await openFleet({ ...FLEET, env });
  const { lease } = await fleet.leases.acquire("story.x", { owner: "a worker", ttlMs: 1000 });
  expect(lease?.record).toMatchObject({ machine: "ann", owner: "a worker" });
  await fleet.close();
  await expect(openFleet({ ...FLEET, root: "b".repeat(40), env })).rejects.toThrow(
    "The fleet shop belongs to another repository.",
  );
});

it("says how to set the address", async () => {
  await expect(openFleet({ ...FLEET, env: {} })).rejects.toMatchObject({
    message: "The address of the fleet's database is not set.",
    hint: expect.stringContaining("SAGA_FLEET_URL") as string,
  });
});

it.each([
  ["Build-3.example.com", "build-3-example-com"],
  ["--x--", "x"],
  ["a".repeat(80), "a".repeat(60)],
])("names the machine %s %s", (host, name) => {
  expect(slugOf(host)).toBe(name);
});

it.each(["", "Ann", "a b", "../x", "x'; DROP TABLE"])("refuses %j as a machine's name", (name) => {
  expect(() => machineName({ SAGA_FLEET_MACHINE: name })).toThrow("is not the name of a machine");
});

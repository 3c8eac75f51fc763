import { expect, it, onTestFinished } from "vitest";
import { newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import { openDatabase } from "./database.ts";
import { openMachines, stateOf } from "./machines.ts";
import { createSchema, schemaOf } from "./schema.ts";

const postgres = usePostgres();

it("lists who joined, drains and left", async () => {
  const database = openDatabase(await newDatabase(await postgres()));
  onTestFinished(() => database.close());
  await createSchema(database, { fleet: "shop", root: "a".repeat(40) }, Buffer.alloc(32));
  const machines = openMachines(database, schemaOf("shop"), 30);
  await machines.join({ name: "ann", slots: 2, labels: ["web"], version: "0.1.0" });
  await machines.join({ name: "bob", slots: 1, labels: [], version: "0.1.0" });
  expect(await machines.report("ann")).toEqual({ isDraining: false });
  await machines.drain("ann");
  expect(await machines.report("ann")).toEqual({ isDraining: true });
  expect([await machines.leave("bob"), await machines.leave("bob")]).toEqual([true, false]);
  expect(await machines.list()).toMatchObject([
    { name: "ann", slots: 2, labels: ["web"], isDraining: true, state: "joined" },
    { name: "bob", state: "left" },
  ]);
  await database.query(
    `UPDATE ${schemaOf("shop")}.machine SET seen_at = now() - interval '1 hour'`,
  );
  expect(await machines.list()).toMatchObject([{ state: "silent" }, { state: "left" }]);
  await machines.join({ name: "ann", slots: 1, labels: [], version: "0.1.0" });
  expect(await machines.list()).toMatchObject([{ isDraining: false, state: "joined" }, {}]);
  await expect(machines.drain("eve")).rejects.toThrow("The fleet has no machine eve.");
});

it.each([
  [null, false, "joined"],
  [null, true, "silent"],
  [new Date(), true, "left"],
] as const)("left at %s, silent %s: %s", (leftAt, isSilent, state) => {
  expect(stateOf({ left_at: leftAt, is_silent: isSilent })).toBe(state);
});

import { expect, it, onTestFinished } from "vitest";
import { newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import { openDatabase } from "../engine/database.ts";
import { openDatabaseLeases } from "../engine/leases.ts";
import { createSchema, schemaOf } from "../engine/schema.ts";
import { membershipLease, startMembership } from "./membership.ts";

const postgres = usePostgres();

it("lets one process take stories for a machine", async () => {
  const database = openDatabase(await newDatabase(await postgres()));
  onTestFinished(() => database.close());
  await createSchema(database, { fleet: "shop", root: "a".repeat(40) }, Buffer.alloc(32));
  const member = (machine: string) => ({
    machine,
    leases: openDatabaseLeases(database, schemaOf("shop"), { machine }),
  });
  const ann = await startMembership(member("ann"));
  expect(await startMembership(member("ann"))).toMatchObject({ heldBy: { pid: process.pid } });
  const bob = await startMembership(member("bob"));
  if ("heldBy" in ann || "heldBy" in bob) throw new Error("It is held.");
  await bob.release();
  await ann.release();
  expect(await member("eve").leases.read(membershipLease("ann"))).toBeUndefined();
});

import { expect, it, onTestFinished } from "vitest";
import { newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import { aStory, newProject } from "../../../test/support/project.ts";
import { openStore } from "../../store/file-store.ts";
import type { Store } from "../../store/store.ts";
import { openDatabase } from "../engine/database.ts";
import { createSchema, schemaOf } from "../engine/schema.ts";
import { openExchange, type Exchange } from "./exchange-runs.ts";
import { openRecords } from "./records.ts";

const postgres = usePostgres();
const AT = "2026-11-18T10:00:00.000Z";

async function newMachines() {
  const database = openDatabase(await newDatabase(await postgres()));
  onTestFinished(() => database.close());
  await createSchema(database, { fleet: "shop", root: "a".repeat(40) }, Buffer.alloc(32));
  let isUp = true;
  const query: typeof database.query = (...words) =>
    isUp ? database.query(...words) : Promise.reject(new Error("unreachable"));
  const open = (store: Store, machine: string): Exchange =>
    openExchange({
      store,
      machine,
      records: openRecords({ query }, schemaOf("shop")),
      ownKey: () => Buffer.alloc(32, machine),
      fleetKey: async () => Buffer.alloc(32, "fleet"),
    });
  const newStore = (): Store => {
    const project = newProject();
    project.write(".saga/stories/cart/story.json", aStory("cart"));
    return openStore(project.path);
  };
  return { open, ann: newStore(), bob: newStore(), connect: (up: boolean) => void (isUp = up) };
}

it("brings runs and events to other machines, and catches up after an outage", async () => {
  const { open, ann, bob, connect } = await newMachines();
  const [here, there] = [open(ann, "ann"), open(bob, "bob")];
  const log = await ann.startRun("cart");
  onTestFinished(log.close);
  log.append({ at: AT, type: "one" });
  await here.send("cart");
  await there.receive();
  connect(false);
  log.append({ at: AT, type: "two" });
  await expect(here.send("cart")).rejects.toThrow("unreachable");
  connect(true);
  log.append({ at: AT, type: "three" });
  await here.send("cart");
  await here.send("cart");
  await there.receive();
  await there.receive("cart");
  const [run] = await bob.listRuns("cart");
  expect(run).toMatchObject({ id: log.run.id, machine: "ann" });
  const { events } = await bob.readEvents("cart", log.run.id);
  expect(events.map(({ type }) => type)).toEqual(["one", "two", "three"]);
  // What came from another machine is not sent again as its own.
  await there.send("cart");
  await here.receive();
  expect((await ann.listRuns("cart")).map(({ machine }) => machine)).toEqual([undefined]);
});

it("continues after a restart without sending anything twice", async () => {
  const { open, ann, bob } = await newMachines();
  const log = await ann.startRun("cart");
  onTestFinished(log.close);
  log.append({ at: AT, type: "one" });
  await open(ann, "ann").send("cart");
  log.append({ at: AT, type: "two" });
  await open(ann, "ann").send("cart");
  await open(ann, "ann").send("cart");
  await open(bob, "bob").receive();
  expect((await bob.readEvents("cart", log.run.id)).events).toHaveLength(2);
});

import { expect, it } from "vitest";
import { newFleetProject } from "../../../../test/support/fleet-project.ts";
import { newClones } from "../../../../test/support/clones.ts";
import { asking, usePostgres } from "../../../../test/support/postgres.ts";

const postgres = usePostgres();

it("shows the fleet, drains a machine and lets one leave", async () => {
  const { ann, saga } = await newFleetProject(await postgres());
  expect((await saga(ann, "fleet", "status")).stdout).toContain("Fleet shop; this machine is ann");
  expect((await saga(ann, "fleet", "machines")).stdout).toContain("No machine has joined");
  const refused = await saga(ann, "fleet", "drain", "bob");
  expect(refused).toMatchObject({ exitCode: 1 });
  expect(refused.stderr).toContain("The fleet has no machine bob.");
  expect((await saga(ann, "fleet", "leave")).stdout).toContain("ann has not joined");
});

it("says that a project is in no fleet, and how to reach the database", async () => {
  const { ann } = await newClones();
  const status = await ann.sagaWithEnv(ann.env, "fleet", "status");
  expect(status).toMatchObject({ exitCode: 1 });
  expect(status.stderr).toContain("This project is not in a fleet.");
  ann.write(".saga/config.toml", '[fleet]\nname = "shop"\n');
  const unset = await ann.sagaWithEnv(ann.env, "fleet", "status", "--json");
  expect(unset.json()).toMatchObject({ error: { code: "not-ready" } });
  const env = { ...ann.env, SAGA_FLEET_URL: "postgres://saga:hunter22@127.0.0.1:1/x" };
  const down = await ann.sagaWithEnv(env, "fleet", "status");
  expect(down.stderr).toContain("cannot be reached");
  expect(down.stderr).not.toContain("hunter22");
});

it("shows nothing of rows that no Saga wrote: no terminal codes, no paths", async () => {
  const { ann, saga, url } = await newFleetProject(await postgres());
  const evil = "\u001B]0;evil\u0007";
  await asking(url, async ({ query }) => {
    const machine =
      "INSERT INTO saga_shop.machine (name, slots, labels, version) VALUES ($1, 1, $2, $3)";
    await query(machine, [evil, [], "1"]);
    await query(machine, ["bob", ["web", evil], evil]);
    const lease =
      "INSERT INTO saga_shop.lease (name, fence, record, ttl) VALUES ($1, 1, $2, '1 hour')";
    const record = { pid: 1, startTime: "1", bootId: "1", place: "1", purpose: "work" };
    await query(lease, ["story.cart", { ...record, owner: evil, machine: "bob" }]);
    await query(lease, ["story.price", { ...record, owner: "a worker", machine: "../bob" }]);
    await query(lease, ["story.order", { ...record, owner: "a worker", machine: "bob" }]);
  });
  const status = await saga(ann, "fleet", "status");
  expect(status).toMatchObject({ exitCode: 0 });
  expect(status.stdout).toMatch(/bob +joined +1 slot +web\n/);
  expect(status.stdout).not.toContain("evil");
  expect((await saga(ann, "fleet", "status", "--json")).stdout).not.toContain("evil");
  expect((await saga(ann, "run", "order")).stderr).toContain("a worker on bob");
});

import { expect, it } from "vitest";
import { newFleetProject } from "../../../../test/support/fleet-project.ts";
import { newClones } from "../../../../test/support/clones.ts";
import { usePostgres } from "../../../../test/support/postgres.ts";

const postgres = usePostgres();

it("shows the fleet, drains a machine and lets one leave", async () => {
  const { ann, saga } = await newFleetProject(await postgres());
  expect((await saga(ann, "fleet", "status")).stdout).toContain("Fleet shop; this machine is ann");
  expect((await saga(ann, "fleet", "machines")).stdout).toContain("No machine has joined");
  const refused = await saga(ann, "fleet", "drain", "bob");
  expect(refused).toMatchObject({ exitCode: 1 });
  expect(refused.stderr).toContain("The fleet has no machine bob.");
  expect((await saga(ann, "fleet", "leave")).stdout).toBe("✓ ann has left\n");
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

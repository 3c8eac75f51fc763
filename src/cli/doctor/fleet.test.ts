import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import { newFleetProject } from "../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../test/support/postgres.ts";
import { clockDifferenceMs, fleet } from "./fleet.ts";

const postgres = usePostgres();

it("finds a fleet in order, and a remote that is gone", async () => {
  const { ann, envOf, remote } = await newFleetProject(await postgres());
  const context = { cwd: ann.path, env: envOf(ann), userId: undefined };
  expect(await fleet(context)).toEqual([
    { name: "fleet", verdict: "ok", found: "shop, this machine is ann" },
    { name: "fleet clock", verdict: "ok", found: "the same as the database's" },
    { name: "fleet remote", verdict: "ok", found: "origin" },
  ]);
  rmSync(remote, { recursive: true });
  expect((await fleet(context)).at(-1)).toMatchObject({ name: "fleet remote", verdict: "fail" });
});

it("says how to reach the database, without its password", async () => {
  const { ann } = await newClones();
  const context = { cwd: ann.path, env: ann.env, userId: undefined };
  expect(await fleet(context)).toEqual([]);
  ann.write(".saga/config.toml", '[fleet]\nname = "shop"\n');
  const [unset] = await fleet(context);
  expect(unset).toMatchObject({ name: "fleet", verdict: "fail" });
  expect(unset?.fix).toContain("SAGA_FLEET_URL");
  const url = "postgres://saga:hunter22@127.0.0.1:1/x";
  const [down] = await fleet({ ...context, env: { ...ann.env, SAGA_FLEET_URL: url } });
  expect(down?.found).toContain("cannot be reached");
  expect(JSON.stringify(down)).not.toContain("hunter22");
});

it("counts a clock as different only by what the question's way cannot explain", () => {
  expect(clockDifferenceMs(150, 100, 200)).toBe(0);
  expect(clockDifferenceMs(90, 100, 200)).toBe(-10);
  expect(clockDifferenceMs(260, 100, 200)).toBe(60);
});

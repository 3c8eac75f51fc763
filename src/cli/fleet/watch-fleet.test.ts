import { expect, it, onTestFinished } from "vitest";
import { newFleetProject } from "../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../test/support/postgres.ts";
import { watchFleet } from "./watch-fleet.ts";

const postgres = usePostgres();

it("shows the fleet's machines and stories, and keeps the last card while the database is away", async () => {
  const { ann, envOf, saga } = await newFleetProject(await postgres());
  await saga(ann, "epic", "run", "shop", "--fleet", "--detach");
  const env: Record<string, string | undefined> = { ...envOf(ann) };
  const watch = watchFleet({ project: ann.path, env });
  onTestFinished(watch.close);
  const card = await watch.read();
  expect(card).toMatchObject({ name: "shop", machine: "ann", machines: [] });
  expect(card?.stories.map(({ story, queue }) => [story, queue]).toSorted()).toEqual([
    ["cart", "queued"],
    ["order", "waiting"],
    ["price", "queued"],
  ]);
  await watch.close();
  env["SAGA_FLEET_URL"] = "postgres://saga:hunter22@127.0.0.1:1/x";
  const away = await watch.read();
  expect(away).toMatchObject({
    ...card,
    problem: expect.stringContaining("cannot be reached") as string,
  });
  expect(JSON.stringify(away)).not.toContain("hunter22");
  ann.write(".saga/config.toml", "");
  expect(await watch.read()).toBeUndefined();
});

import { expect, it } from "vitest";
import { newFleetProject } from "../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../test/support/postgres.ts";

const postgres = usePostgres();

it("takes an epic off the fleet, from any machine, until it is run again", async () => {
  const { ann, bob, saga, remoteRefs } = await newFleetProject(await postgres());
  await saga(ann, "epic", "run", "shop", "--fleet", "--detach");
  const stopped = await saga(bob, "epic", "stop", "shop");
  expect(stopped).toMatchObject({ exitCode: 0, stderr: "" });
  expect(stopped.stdout).toContain("The fleet takes no further story of shop; 3 were queued.");
  expect(Object.keys(remoteRefs())).not.toContain("refs/saga/fleet/shop");
  expect((await saga(ann, "fleet", "status")).stdout).toMatch(
    /cart +its epic's run was stopped: `saga epic run shop --fleet`/,
  );
  expect((await saga(ann, "fleet", "sync", "--json")).json()).toMatchObject({ queued: [] });
  expect((await saga(bob, "epic", "stop", "shop")).stdout).toBe("The epic shop is not running.\n");
  await saga(ann, "epic", "run", "shop", "--fleet", "--detach");
  expect((await saga(ann, "fleet", "status")).stdout).toMatch(/order +waits for other stories/);
});

it("needs no fleet", async () => {
  const { ann } = await newFleetProject(await postgres());
  ann.write(".saga/config.toml", "");
  expect((await ann.saga("epic", "stop", "shop")).stdout).toBe("The epic shop is not running.\n");
});

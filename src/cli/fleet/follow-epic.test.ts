import { expect, it } from "vitest";
import { newFleetProject } from "../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../test/support/postgres.ts";
import { endOf } from "./follow-epic.ts";

const postgres = usePostgres();

it("puts an epic into the queue once, and says so", async () => {
  const { ann, bob, saga, remoteRefs } = await newFleetProject(await postgres());
  const first = await saga(ann, "epic", "run", "shop", "--fleet", "--detach", "--json");
  expect(first.json()).toMatchObject({ epic: "shop", queued: ["cart", "price", "order"] });
  expect(Object.keys(remoteRefs())).toContain("refs/saga/fleet/shop");
  const second = await saga(bob, "epic", "run", "shop", "--fleet", "--detach");
  expect(second.stdout).toContain("shop is in the fleet's queue");
  expect((await saga(bob, "fleet", "status")).stdout).toMatch(/order +waits for other stories/);
});

it.each([
  [["done", "done"], "done"],
  [[], "done"],
  [["done", "queued"], undefined],
  [["parked", "active"], undefined],
  [["done", "parked", "waiting"], "parked"],
  [["waiting"], "parked"],
] as const)("%j: %s", (states, end) => {
  expect(endOf(states)).toBe(end);
});

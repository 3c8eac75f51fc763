import { expect, it } from "vitest";
import { newFleetProject } from "../../../../test/support/fleet-project.ts";
import { asking, usePostgres } from "../../../../test/support/postgres.ts";
import { takeFence } from "../../../repo/sharing/lease-ref.ts";

const postgres = usePostgres();

it("builds a lost database again from git: the queue, and fences that only grow", async () => {
  const { ann, bob, saga, url } = await newFleetProject(await postgres());
  await saga(ann, "epic", "run", "shop", "--fleet", "--detach");
  await takeFence(
    ann.repository,
    { storyId: "cart", fence: 7, machine: "ann", isMine: async () => true },
    () => undefined,
  );
  await asking(url, async ({ query }) => {
    await query("DROP SCHEMA saga_shop CASCADE");
    await query("DROP SCHEMA saga_shop_jobs CASCADE");
  });
  expect((await saga(bob, "fleet", "sync")).stderr).toContain("The database has no fleet shop.");
  await saga(bob, "fleet", "init");
  expect((await saga(bob, "fleet", "sync", "--json")).json()).toEqual({
    queued: ["cart", "price", "order"],
    epics: ["shop"],
    parked: [],
    fences: 1,
    cleaned: [],
    left: [],
  });
  expect((await saga(bob, "fleet", "sync", "--json")).json()).toMatchObject({ queued: [] });
  const fences = await asking(url, ({ query }) => query("SELECT name, fence FROM saga_shop.lease"));
  expect(fences).toEqual([{ name: "story.cart", fence: "7" }]);
});

import { expect, it } from "vitest";
import { newFleetProject } from "../../../../test/support/fleet-project.ts";
import { anEpic } from "../../../../test/support/project.ts";
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
    gone: [],
    fences: 1,
    cleaned: [],
    left: [],
  });
  expect((await saga(bob, "fleet", "sync", "--json")).json()).toMatchObject({ queued: [] });
  const fences = await asking(url, ({ query }) => query("SELECT name, fence FROM saga_shop.lease"));
  expect(fences).toEqual([{ name: "story.cart", fence: "7" }]);
});

it("drops stories that were removed from the project, so that nothing waits for them", async () => {
  const { ann, bob, saga } = await newFleetProject(await postgres());
  await saga(ann, "epic", "run", "shop", "--fleet", "--detach");
  ann.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: "order", blockedBy: [] }]));
  ann.git("rm", "-rq", ".saga/stories/cart", ".saga/stories/price");
  // Not pushed yet: it still exists for the others.
  expect((await saga(bob, "fleet", "sync", "--json")).json()).toMatchObject({ gone: [] });
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=remove");
  ann.git("push", "--quiet", "origin", "HEAD:main");
  const synced = await saga(bob, "fleet", "sync");
  expect(synced.stdout).toContain("dropped  cart: it was removed from the project");
  const { stdout } = await saga(bob, "fleet", "status");
  expect(stdout).not.toMatch(/cart|price/);
  expect(stdout).toMatch(/order +queued/);
});

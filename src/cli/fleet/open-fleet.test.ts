import { expect, it, onTestFinished } from "vitest";
import { newFleetProject, openMemberStore } from "../../../test/support/fleet-project.ts";
import { newClones } from "../../../test/support/clones.ts";
import { asking, usePostgres } from "../../../test/support/postgres.ts";
import { openStore } from "../../store/file-store.ts";
import { openFleetOf } from "./open-fleet.ts";

const postgres = usePostgres();
const REQUEST = { owner: "saga-story-cart-1", ttlMs: 90_000 };

it("refuses a story that another machine works on, and names the machine", async () => {
  const { ann, bob, envOf, saga } = await newFleetProject(await postgres());
  const { leases } = openMemberStore(ann.path, envOf(ann));
  const { lease } = await leases.acquire("story.cart", REQUEST);
  onTestFinished(() => lease?.release());
  for (const command of [["run"], ["run", "--foreground"], ["accept"], ["discard", "--yes"]]) {
    const [word = "", ...rest] = command;
    const refused = await saga(bob, word, "cart", ...rest);
    expect(refused.exitCode, word).toBe(1);
    expect(refused.stderr, word).toContain("saga-story-cart-1 on ann");
  }
});

it("starts no session for a worker that could not ask the fleet's database", async () => {
  const { ann, saga, url } = await newFleetProject(await postgres());
  await asking(url, ({ query }) => query("UPDATE saga_shop.meta SET version = 99"));
  const newer = await saga(ann, "run", "cart");
  expect(newer).toMatchObject({ exitCode: 1, stdout: "" });
  expect(newer.stderr).toContain("A newer Saga set up the fleet shop.");
});

it("connects to the database once, for all leases and lanes", async () => {
  const { ann, envOf, url } = await newFleetProject(await postgres());
  const { leases, queue } = openMemberStore(ann.path, envOf(ann));
  for (let time = 0; time < 6; time++) {
    await leases.read(`story.s${time}`);
    await queue.lanes();
  }
  const connections = await asking(url, ({ query }) =>
    query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"),
  );
  // With the one that asks.
  expect(connections.length).toBeLessThanOrEqual(4);
});

it("uses files alone for a project in no fleet", async () => {
  const { ann } = await newClones();
  const { leases } = openMemberStore(ann.path, {});
  const { lease } = await leases.acquire("story.cart", REQUEST);
  expect(lease?.record.machine).toBeUndefined();
  expect((await leases.look())("story.cart")?.life).toBe("alive");
  expect(await leases.list()).toHaveLength(1);
  await lease?.release();
  expect(await leases.read("story.cart")).toBeUndefined();
  const settings = await openStore(ann.path).settings();
  await expect(openFleetOf({ project: ann.path, env: ann.env }, settings)).rejects.toThrow(
    "This project is not in a fleet.",
  );
});

import { expect, it, onTestFinished } from "vitest";
import { newFleetProject, openMemberStore } from "../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../test/support/postgres.ts";
import { openFleetOf } from "./open-fleet.ts";
import { drainElsewhere, stopElsewhere } from "./stop-elsewhere.ts";

const postgres = usePostgres();

it("asks the owner on another machine, and waits until it has released the story", async () => {
  const { ann, bob, envOf } = await newFleetProject(await postgres());
  const here = openMemberStore(bob.path, envOf(bob));
  const there = openMemberStore(ann.path, envOf(ann));
  const bobs = { store: here, env: envOf(bob) };
  expect(await stopElsewhere(bobs, "cart")).toBe(false);
  const { lease } = await there.leases.acquire("story.cart", { owner: "x", ttlMs: 90_000 });
  expect(await stopElsewhere({ store: there, env: envOf(ann) }, "cart")).toBe(false);
  const fleet = await openFleetOf({ project: ann.path, env: envOf(ann) }, await there.settings());
  onTestFinished(() => fleet.close());
  // A worker that ends in order takes its time.
  expect(await drainElsewhere(bobs, "cart", 5)).toBe(true);
  expect(await fleet.stopRequests.find("cart", "ann")).toEqual({ kind: "drain", budgetUsd: 5 });
  const stopping = stopElsewhere(bobs, "cart");
  await expect.poll(() => fleet.stopRequests.find("cart", "ann")).toEqual({ kind: "stop" });
  await lease?.release();
  expect(await stopping).toBe(true);
});

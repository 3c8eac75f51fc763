import { expect, it } from "vitest";
import {
  newFleetProject,
  openMemberStore,
  type FleetProject,
} from "../../../test/support/fleet-project.ts";
import { shareCart } from "../../../test/support/shared-cart.ts";
import { usePostgres } from "../../../test/support/postgres.ts";
import type { Clone } from "../../../test/support/clones.ts";

const postgres = usePostgres();
const REFS = ["refs/heads/story/cart", "refs/saga/keep/cart/1-ann-1", "refs/saga/lease/cart"];

const land = (clone: Clone): void => {
  clone.git("merge", "--quiet", "--squash", "story/cart");
  clone.git("commit", "--quiet", "--message=land cart");
  clone.git("push", "--quiet", "origin", "main");
};

const storyRefs = ({ remoteRefs }: FleetProject): string[] =>
  Object.keys(remoteRefs()).filter((ref) => ref.includes("cart"));

it("deletes what a machine left at the remote that died after it had landed a story", async () => {
  const project = await newFleetProject(await postgres());
  const { ann, bob, saga } = project;
  await shareCart(project);
  expect((await saga(bob, "clean", "--json")).json()).toMatchObject({ removed: [] });
  expect(storyRefs(project)).toEqual(REFS);
  land(ann);
  expect((await saga(bob, "clean", "--json", "--dry-run")).json()).toMatchObject({
    removed: ["cart at origin"],
  });
  expect(storyRefs(project)).toEqual(REFS);
  expect((await saga(bob, "fleet", "sync", "--json")).json()).toMatchObject({
    cleaned: ["cart at origin"],
  });
  expect(storyRefs(project)).toEqual([]);
  // The uncommitted work is kept here.
  expect(bob.git("for-each-ref", "--format=%(refname)", "refs/saga/keep/cart")).toBe(
    "refs/saga/keep/cart/1",
  );
  expect((await saga(bob, "clean", "--json")).json()).toMatchObject({ removed: [], left: [] });
});

it("leaves a landed story alone while another machine owns it", async () => {
  const project = await newFleetProject(await postgres());
  const { ann, bob, saga, envOf } = project;
  await shareCart(project);
  land(ann);
  const { leases } = openMemberStore(ann.path, envOf(ann));
  const { lease } = await leases.acquire("story.cart", { owner: "saga run", ttlMs: 60_000 });
  expect((await saga(bob, "clean", "--json")).json()).toMatchObject({ removed: [] });
  expect(storyRefs(project)).toEqual(REFS);
  await lease?.release();
});

import { expect, it } from "vitest";
import {
  newFleetProject,
  type FleetProject,
  openMemberStore,
} from "../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../test/support/postgres.ts";
import type { Clone } from "../../../test/support/clones.ts";
import { aStory, aTask } from "../../../test/support/project.ts";
import { takeFence } from "../../repo/sharing/lease-ref.ts";

const postgres = usePostgres();
const REFS = ["refs/heads/story/cart", "refs/saga/keep/cart/1-ann-1", "refs/saga/lease/cart"];

/** Ann's machine has worked on cart, with a snapshot between its commits, and pushed all of it. */
async function worked({ ann }: FleetProject): Promise<void> {
  const owner = { storyId: "cart", fence: 1, machine: "ann", isMine: async () => true };
  const fence = await takeFence(ann.repository, owner, () => expect.unreachable());
  ann.git("checkout", "--quiet", "-b", "story/cart");
  ann.write("cart.txt", "half\n");
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=start");
  const half = ann.git("commit-tree", "-p", "HEAD", "-m", "check-in", "HEAD^{tree}");
  ann.write("cart.txt", "whole\n");
  ann.write(".saga/stories/cart/story.json", aStory("cart", { epic: "shop", status: "completed" }));
  ann.write(".saga/stories/cart/do-cart.json", aTask("do-cart", { status: "completed" }));
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=cart");
  await fence.push(["HEAD:refs/heads/story/cart", `${half}:${REFS[1]}`]);
  ann.git("checkout", "--quiet", "main");
}

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
  await worked(project);
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
  await worked(project);
  land(ann);
  const { leases } = openMemberStore(ann.path, envOf(ann));
  const { lease } = await leases.acquire("story.cart", { owner: "saga run", ttlMs: 60_000 });
  expect((await saga(bob, "clean", "--json")).json()).toMatchObject({ removed: [] });
  expect(storyRefs(project)).toEqual(REFS);
  await lease?.release();
});

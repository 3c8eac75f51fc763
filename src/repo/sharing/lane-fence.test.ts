import { expect, it } from "vitest";
import { newClones, type Clone } from "../../../test/support/clones.ts";
import { laneRef, landedIn, newLaneFence, type TargetPush } from "./lane-fence.ts";

const LANE = "lane-remote-main-00000000";

function lander({ repository }: Clone, machine: string) {
  return newLaneFence(repository, { laneId: LANE, machine });
}

/** A commit on top of the remote's main, made in a clone. */
function commitIn({ git }: Clone, name: string): string {
  git("fetch", "--quiet", "origin");
  const tree = git("rev-parse", "origin/main^{tree}");
  return git("commit-tree", tree, "-p", git("rev-parse", "origin/main"), "-m", name);
}

const pushOf = (clone: Clone, to: string, more: Partial<TargetPush> = {}): TargetPush => ({
  refspec: `${to}:refs/heads/main`,
  lease: `refs/heads/main:${clone.git("rev-parse", "origin/main")}`,
  owners: [],
  landed: [],
  ...more,
});

it("moves the target for the lander that took the lane last, and for no other", async () => {
  const { ann, bob, remoteRefs } = await newClones();
  const [slept, next] = [lander(ann, "ann"), lander(bob, "bob")];
  await slept.take();
  await next.take();
  const before = remoteRefs()["refs/heads/main"];
  const late = await slept.push(pushOf(ann, commitIn(ann, "late")));
  expect(late).toMatchObject({ isOk: false, isOutdated: true });
  expect(remoteRefs()["refs/heads/main"]).toBe(before);
  const landed = commitIn(bob, "landed");
  expect(await next.push(pushOf(bob, landed))).toMatchObject({ isOk: true, isOutdated: false });
  expect(remoteRefs()["refs/heads/main"]).toBe(landed);
});

it("tells the next landers what the last push brought, however many of them died since", async () => {
  const { ann, bob } = await newClones();
  const first = lander(ann, "ann");
  expect(await first.take()).toEqual([]);
  const commit = commitIn(ann, "landed");
  const landed = [
    { storyId: "cart", tip: commit, onto: ann.git("rev-parse", "origin/main"), commit },
  ];
  await first.push(pushOf(ann, commit, { landed }));
  expect(await lander(bob, "bob").take()).toEqual(landed);
  expect(await lander(ann, "ann").take()).toEqual(landed);
});

it("moves no target, if another machine has taken over a story that it brings", async () => {
  const { ann, remoteRefs } = await newClones();
  const ref = "refs/saga/lease/cart";
  const [from, taken] = [commitIn(ann, "owner"), commitIn(ann, "another owner")];
  ann.git("push", "--quiet", "origin", `${from}:${ref}`);
  const fence = lander(ann, "ann");
  await fence.take();
  const owners = [{ ref, from, facts: { Fence: "3", Machine: "ann" } }];
  ann.git("push", "--quiet", "--force", "origin", `${taken}:${ref}`);
  const before = remoteRefs();
  const commit = commitIn(ann, "landed");
  const refused = await fence.push(pushOf(ann, commit, { owners }));
  expect(refused).toMatchObject({ isOk: false, isOutdated: false });
  expect(remoteRefs()).toEqual(before);
  // The owner that is there may land it.
  const held = await fence.push(
    pushOf(ann, commit, { owners: owners.map((one) => ({ ...one, from: taken })) }),
  );
  expect(held.isOk).toBe(true);
  expect(remoteRefs()["refs/heads/main"]).toBe(commit);
  expect(remoteRefs()[ref]).not.toBe(taken);
});

it("refuses to begin when another one begins at the same moment", async () => {
  const { ann, bob } = await newClones();
  const both = await Promise.allSettled([lander(ann, "ann").take(), lander(bob, "bob").take()]);
  expect(both.some(({ status }) => status === "fulfilled")).toBe(true);
});

it("keeps its ref apart from branches, and takes nothing from a note that no Saga wrote", () => {
  expect(laneRef(LANE)).toBe(`refs/saga/lane/${LANE}`);
  const commit = "a".repeat(40);
  expect(landedIn({ Landed: `cart,${commit},${commit},${commit}` })).toHaveLength(1);
  for (const text of ["", "cart", `../x,${commit},${commit},${commit}`, `cart,-x,main,${commit}`]) {
    expect(landedIn({ Landed: text }), text).toEqual([]);
  }
});

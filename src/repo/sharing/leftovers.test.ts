import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commitIn, newClones, type Clone } from "../../../test/support/clones.ts";
import { placeIn, prepare, STORY } from "../../../test/support/repository.ts";
import { readSnapshots, snapshotChanges } from "../snapshots/snapshot.ts";
import { takeFence } from "./lease-ref.ts";
import { readLeftovers, removeLeftovers, type LeftoverRemoval } from "./leftovers.ts";
import { sharedSnapshotRef } from "./shared-snapshots.ts";

const isMine = async (): Promise<boolean> => true;
const BRANCH = `refs/heads/story/${STORY}`;
const LEASE = `refs/saga/lease/${STORY}`;

/** Ann's machine has worked on the story: a commit, uncommitted work, and the commit that followed. */
async function newStory() {
  const clones = await newClones();
  const { ann } = clones;
  await prepare(ann);
  const fence = await takeFence(
    ann.repository,
    { storyId: STORY, fence: 3, machine: "ann", isMine },
    () => expect.unreachable(),
  );
  const snapshot = async (number: number): Promise<string> => {
    writeFileSync(join(placeIn(ann), "half.txt"), `${number}\n`);
    const git = ann.repository.git.at(placeIn(ann));
    const saved = await snapshotChanges({ git, storyId: STORY, why: "check-in", exclude: [] });
    const ref = sharedSnapshotRef({ storyId: STORY, fence: 3, machine: "ann" }, number);
    await fence.push([`${saved?.commit}:${ref}`]);
    return ref;
  };
  commitIn(ann, "one.txt");
  const half = await snapshot(1);
  const tip = commitIn(ann, "two.txt");
  await fence.push([`${tip}:${BRANCH}`]);
  const remove = async (by: Clone, more: Partial<LeftoverRemoval> = {}) => {
    const leftovers = (await readLeftovers(by.repository, STORY)).get(STORY);
    if (leftovers === undefined) throw new Error("nothing is left");
    const { repository } = by;
    const owner = { fence: 4, isMine };
    return removeLeftovers({ repository, storyId: STORY, owner, tip, leftovers, ...more });
  };
  return { ...clones, fence, tip, half, snapshot, remove };
}

it("deletes all refs of a landed story at once, and saves snapshots of other machines here first", async () => {
  const { bob, half, remove, remoteRefs } = await newStory();
  expect(Object.keys(remoteRefs())).toEqual(expect.arrayContaining([BRANCH, LEASE, half]));
  bob.git("fetch", "--quiet", "origin");
  expect(await remove(bob)).toEqual({ why: undefined, kept: [] });
  expect(Object.keys(remoteRefs())).toEqual(["refs/heads/main"]);
  expect(await readSnapshots(bob.repository.git, STORY)).toHaveLength(1);
  expect((await readLeftovers(bob.repository)).size).toBe(0);
});

it("keeps a snapshot of work that did not land", async () => {
  const { ann, snapshot, remove, remoteRefs } = await newStory();
  const last = await snapshot(2);
  expect(await remove(ann)).toEqual({ why: undefined, kept: [last] });
  expect(Object.keys(remoteRefs())).toEqual(["refs/heads/main", last]);
});

it("keeps snapshots when it is unknown what landed", async () => {
  const { ann, half, remove, remoteRefs } = await newStory();
  expect(await remove(ann, { tip: undefined })).toEqual({ why: undefined, kept: [half] });
  expect(Object.keys(remoteRefs())).toEqual(["refs/heads/main", half]);
});

it("deletes nothing of a story that has a newer owner, that this machine has lost, or that moved meanwhile", async () => {
  const { ann, fence, tip, remove, remoteRefs } = await newStory();
  const before = remoteRefs();
  expect(await remove(ann, { owner: { fence: 2, isMine } })).toMatchObject({
    why: "another machine has taken the story over",
  });
  const lost = { fence: 4, isMine: async () => false };
  expect(await remove(ann, { owner: lost })).toMatchObject({
    why: "this machine has lost the story's lease",
  });
  expect(remoteRefs()).toEqual(before);
  const meanwhile = { fence: 4, isMine: async () => (await fence.push([])).isOk };
  expect((await remove(ann, { owner: meanwhile })).why).toBeDefined();
  expect(remoteRefs()[BRANCH]).toBe(tip);
  expect(Object.keys(remoteRefs())).toEqual(Object.keys(before));
});

it("reads nothing from refs that no member wrote", async () => {
  const { ann } = await newClones();
  for (const ref of ["refs/saga/lease/Not;an-id", "refs/saga/keep/x/1", "refs/saga/lease/a/b"]) {
    ann.git("push", "--quiet", "origin", `HEAD:${ref}`);
  }
  expect((await readLeftovers(ann.repository)).size).toBe(0);
});

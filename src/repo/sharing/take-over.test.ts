import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commitIn, newClones, type Clone } from "../../../test/support/clones.ts";
import { placeIn, prepare, STORY } from "../../../test/support/repository.ts";
import { copyStoryToWorktree } from "../../store/write/copy-to-worktree.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { findBase, fetchBase } from "../repository.ts";
import { readSnapshots, snapshotChanges } from "../snapshots/snapshot.ts";
import { sharedSnapshotRef } from "./shared-snapshots.ts";
import { isTheirs, takeOverFiles, takeOverWorktree, type TakeOver } from "./take-over.ts";

async function requestOf(clone: Clone, machine: string, lastMachine: string): Promise<TakeOver> {
  const { repository, path } = clone;
  await fetchBase(repository, "main", STORY);
  return {
    repository,
    storyId: STORY,
    base: await findBase(repository, undefined),
    copyStoryToWorktree: (folder) => copyStoryToWorktree(layoutOf(path), STORY, folder),
    machine,
    lastMachine,
    exclude: [],
    unsavedFolder: join(path, "../unsaved"),
    onSnapshot: () => undefined,
  };
}

/** Ann's machine commits, pushes, works on, and is gone; its snapshot is at the remote. */
async function leftByAnn(ann: Clone): Promise<string> {
  await prepare(ann);
  const commit = commitIn(ann, "done.txt");
  ann.git("push", "--quiet", "origin", `story/${STORY}`);
  writeFileSync(join(placeIn(ann), "half.txt"), "half\n");
  const git = ann.repository.git.at(placeIn(ann));
  const saved = await snapshotChanges({ git, storyId: STORY, why: "check-in", exclude: [] });
  const ref = sharedSnapshotRef({ storyId: STORY, fence: 1, machine: "ann" }, 1);
  ann.git("push", "--quiet", "origin", `${saved?.commit}:${ref}`);
  return commit;
}

it("continues with the commits and the uncommitted files of another machine", async () => {
  const { ann, bob } = await newClones();
  const commit = await leftByAnn(ann);
  const request = await requestOf(bob, "bob", "ann");
  const { folder } = await takeOverWorktree(request);
  expect(bob.gitIn(folder, "rev-parse", "HEAD")).toBe(commit);
  expect(existsSync(join(folder, "half.txt"))).toBe(false);
  expect(await takeOverFiles(request, folder)).toMatchObject({ machine: "ann", fence: 1 });
  expect(bob.gitIn(folder, "status", "--porcelain")).toBe("?? half.txt");
  expect(await readSnapshots(bob.repository.git, STORY)).toHaveLength(1);
});

it("leaves a snapshot alone that commits have followed", async () => {
  const { ann, bob } = await newClones();
  await leftByAnn(ann);
  commitIn(ann, "later.txt");
  ann.git("push", "--quiet", "origin", `story/${STORY}`);
  const request = await requestOf(bob, "bob", "ann");
  const { folder } = await takeOverWorktree(request);
  expect(await takeOverFiles(request, folder)).toBeUndefined();
  expect(bob.gitIn(folder, "status", "--porcelain")).toBe("");
});

it("replaces an older copy of this machine, after a snapshot of it", async () => {
  const { ann, bob } = await newClones();
  await leftByAnn(ann);
  await prepare(bob);
  const own = commitIn(bob, "never-pushed.txt");
  writeFileSync(join(placeIn(bob), "dirty.txt"), "dirty\n");
  const request = await requestOf(bob, "bob", "ann");
  const { folder } = await takeOverWorktree(request);
  expect(existsSync(join(folder, "done.txt"))).toBe(true);
  expect(existsSync(join(folder, "never-pushed.txt"))).toBe(false);
  const saved = await readSnapshots(bob.repository.git, STORY);
  expect(saved.flatMap(({ parents }) => parents)).toContain(own);
  const files = saved.map(({ commit }) => bob.git("ls-tree", "--name-only", commit));
  expect(files.join()).toContain("dirty.txt");
});

it("continues in its own copy if it was the last owner, pushed or not", async () => {
  const { ann } = await newClones();
  await leftByAnn(ann);
  const own = commitIn(ann, "not-pushed-yet.txt");
  const request = await requestOf(ann, "ann", "ann");
  const { folder } = await takeOverWorktree(request);
  expect(ann.gitIn(folder, "rev-parse", "HEAD")).toBe(own);
  expect(await takeOverFiles(request, folder)).toBeUndefined();
});

it.each([
  ["bob", "behind", true],
  ["bob", "apart", true],
  ["bob", "ahead", false],
  ["bob", "same", false],
  ["ann", "behind", false],
  [undefined, "apart", false],
] as const)("last owner %s, this branch %s: theirs is %s", (lastMachine, relation, expected) => {
  expect(isTheirs({ lastMachine, machine: "ann" }, relation)).toBe(expected);
});

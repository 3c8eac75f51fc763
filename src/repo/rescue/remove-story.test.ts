import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import {
  leaveChanges,
  newRepository,
  placeIn,
  prepare,
  STORY,
  type TestRepository,
} from "../../../test/support/repository.ts";
import { removeStoryBranch, removeStoryWorktree } from "./remove-story.ts";
import { snapshotStory, type StorySnapshotRequest } from "./snapshot-story.ts";

const BRANCH = `story/${STORY}`;

async function worked(): Promise<{ test: TestRepository; request: StorySnapshotRequest }> {
  const test = newRepository();
  const { folder } = await prepare(test);
  leaveChanges(test, folder);
  const repository = await test.open();
  const baseCommit = test.git("rev-parse", "main");
  return { test, request: { repository, storyId: STORY, exclude: [], baseCommit } };
}

const shown = (test: TestRepository, commit: string | undefined, path: string): string =>
  test.git("show", `${commit}:${path}`);

it("removes the worktree, and saves what was written since its last snapshot", async () => {
  const { test, request } = await worked();
  await snapshotStory(request);
  const folder = placeIn(test);
  writeFileSync(join(folder, "late.txt"), "late\n");
  const { worktree, snapshot, left } = await removeStoryWorktree(request);
  expect([worktree, left]).toEqual([folder, []]);
  expect(readdirSync(dirname(folder))).toEqual([]);
  expect(test.git("worktree", "list")).not.toContain(STORY);
  expect(shown(test, snapshot?.commit, "late.txt")).toBe("late");
  expect(shown(test, snapshot?.commit, "read me.txt")).toBe("changed");
});

it("removes nothing twice, and nothing that is not there", async () => {
  const { request } = await worked();
  await snapshotStory(request);
  await removeStoryWorktree(request);
  expect(await removeStoryWorktree(request)).toEqual({
    worktree: undefined,
    snapshot: undefined,
    left: [],
  });
});

it("finishes a removal that was killed after the rename, and saves the folder first", async () => {
  const { test, request } = await worked();
  const folder = placeIn(test);
  const discarded = join(dirname(folder), `.${STORY}.discarded.tmp`);
  renameSync(folder, discarded);
  const { snapshot, left } = await removeStoryWorktree(request);
  expect(left).toEqual([]);
  expect(existsSync(discarded)).toBe(false);
  expect(shown(test, snapshot?.commit, "new")).toBe("new");
});

it("leaves a folder of someone else in the worktree's place, and says so", async () => {
  const test = newRepository();
  const repository = await test.open();
  mkdirSync(placeIn(test), { recursive: true });
  writeFileSync(join(placeIn(test), "mine.txt"), "mine\n");
  const baseCommit = test.git("rev-parse", "main");
  const request = { repository, storyId: STORY, exclude: [], baseCommit };
  const { worktree, left } = await removeStoryWorktree(request);
  expect(worktree).toBeUndefined();
  expect(left).toEqual([expect.stringContaining("and was left as it is.")]);
  expect(readdirSync(placeIn(test))).toEqual(["mine.txt"]);
});

it("removes a branch only when snapshots hold all of its commits", async () => {
  const { test, request } = await worked();
  const { repository } = request;
  const story = { storyId: STORY, branch: BRANCH };
  test.gitIn(placeIn(test), "commit", "--quiet", "--message=work");
  const tip = test.git("rev-parse", BRANCH);
  await expect(removeStoryBranch(repository, story)).rejects.toThrow(
    `${BRANCH} could not be removed: it has new commits`,
  );
  expect(test.git("rev-parse", BRANCH)).toBe(tip);
  await snapshotStory(request);
  await removeStoryWorktree(request);
  expect(await removeStoryBranch(repository, story)).toBe(tip);
  expect(test.git("branch", "--list", BRANCH)).toBe("");
  expect(await removeStoryBranch(repository, story)).toBeUndefined();
});

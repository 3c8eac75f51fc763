import { expect, it } from "vitest";
import type { PresentWorktree, WorktreePlace } from "../repo/worktree/place.ts";
import { placeFaults } from "./git-facts.ts";

const FOLDER = "/work/.saga/worktrees/cart";
const faults = (place: WorktreePlace) =>
  placeFaults({ place, folder: FOLDER, branch: "story/cart" });
const present: PresentWorktree = {
  kind: "worktree",
  gitDir: "/work/.git/worktrees/cart",
  branch: "story/cart",
  inProgress: undefined,
  isUnfinished: false,
  head: undefined,
  headToBranch: undefined,
  isDirty: false,
};

it("a worktree on its branch, and no worktree, have no fault", () => {
  expect(faults(present)).toEqual([]);
  expect(faults({ kind: "free" })).toEqual([]);
});

it("a worktree elsewhere says where it is", () => {
  expect(faults({ ...present, branch: "main" })).toEqual([
    `${FOLDER} is on main, not on story/cart.`,
  ]);
  expect(faults({ ...present, branch: undefined })[0]).toContain("on no branch");
});

it("describes every problem of a worktree", () => {
  expect(faults({ ...present, inProgress: "rebase", isUnfinished: true })).toHaveLength(2);
});

it("describes anything else in the worktree's place", () => {
  expect(faults({ kind: "occupied", how: "is a file" })).toEqual([`${FOLDER} is a file.`]);
  expect(faults({ kind: "incomplete" })).toHaveLength(1);
  expect(faults({ kind: "moved", gitDir: "x" })[0]).toContain("the project was moved");
});

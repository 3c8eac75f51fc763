import { expect, it } from "vitest";
import type { PresentWorktree, WorktreePlace } from "../repo/worktree/place.ts";
import { placeProblems } from "./git-facts.ts";

const FOLDER = "/work/.saga/worktrees/cart";
const problems = (place: WorktreePlace) =>
  placeProblems({ place, folder: FOLDER, branch: "story/cart" });
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

it("a worktree on its branch, and no worktree, have no problem", () => {
  expect(problems(present)).toEqual([]);
  expect(problems({ kind: "free" })).toEqual([]);
});

it("a worktree elsewhere says where it is", () => {
  expect(problems({ ...present, branch: "main" })).toEqual([
    `${FOLDER} is on main, not on story/cart.`,
  ]);
  expect(problems({ ...present, branch: undefined })[0]).toContain("on no branch");
});

it("describes every problem of a worktree", () => {
  expect(problems({ ...present, inProgress: "rebase", isUnfinished: true })).toHaveLength(2);
});

it("describes anything else in the worktree's place", () => {
  expect(problems({ kind: "occupied", how: "is a file" })).toEqual([`${FOLDER} is a file.`]);
  expect(problems({ kind: "incomplete" })).toHaveLength(1);
  expect(problems({ kind: "moved", gitDir: "x" })[0]).toContain("the project was moved");
});

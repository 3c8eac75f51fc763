import { expect, it } from "vitest";
import { worktreeOf } from "./story-work.ts";

it("finds the worktree above the story's files, also where a project is below another's worktree", () => {
  const inWorktree = (folder: string) => worktreeOf({ source: "worktree", folder });
  expect(inWorktree("/p/.saga/worktrees/one/.saga/stories/one")).toBe("/p/.saga/worktrees/one");
  expect(inWorktree("/p/.saga/stories/x/.saga/worktrees/one/.saga/stories/one")).toBe(
    "/p/.saga/stories/x/.saga/worktrees/one",
  );
});

it("finds none for files in the project or the archive: a person commits those", () => {
  const folder = "/p/.saga/stories/one";
  expect(worktreeOf({ source: "project", folder })).toBeUndefined();
  expect(worktreeOf({ source: "archive", folder })).toBeUndefined();
});

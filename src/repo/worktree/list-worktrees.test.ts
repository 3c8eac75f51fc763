import { expect, it } from "vitest";
import { parseWorktree } from "./list-worktrees.ts";

const parse = (...lines: readonly string[]) => parseWorktree(lines.join("\0"));

it("reads where a worktree is, and what it has checked out", () => {
  expect(parse("worktree /a b/c", "HEAD 1234", "branch refs/heads/story/one")).toEqual({
    folder: "/a b/c",
    head: "1234",
    branch: "story/one",
    lock: undefined,
  });
});

it("has no branch with a detached head, and no commit on an empty branch", () => {
  expect(parse("worktree /a", "HEAD 1234", "detached")).toMatchObject({
    head: "1234",
    branch: undefined,
  });
  expect(parse("worktree /a", `HEAD ${"0".repeat(40)}`, "branch refs/heads/new").head).toBe(
    undefined,
  );
});

it("is locked with or without a reason", () => {
  expect(parse("worktree /a", "locked").lock).toBe("");
  expect(parse("worktree /a", "locked on a stick").lock).toBe("on a stick");
});

it("must have a path", () => {
  expect(() => parse("bare")).toThrow("without a path");
});

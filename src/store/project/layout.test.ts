import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, newProject } from "../../../test/support/project.ts";
import { findProject, isWorktree, layoutOf, requireProject } from "./layout.ts";

describe("the project of a folder", () => {
  it("is the nearest folder above with a `.saga`", () => {
    const { path } = newProject();
    mkdirSync(join(path, "src/deep"), { recursive: true });
    expect(findProject(join(path, "src/deep"))).toBe(path);
    expect(findProject(newFolder().path)).toBeUndefined();
  });

  it("is the one that a worktree belongs to, and not the worktree", () => {
    const { path } = newProject();
    const worktree = join(path, ".saga/worktrees/login");
    mkdirSync(join(worktree, ".saga"), { recursive: true });
    expect(findProject(worktree)).toBe(worktree);
    writeFileSync(join(worktree, ".git"), "gitdir: elsewhere\n");
    expect(isWorktree(worktree)).toBe(true);
    expect(findProject(worktree)).toBe(path);
  });

  it("is missing, or has a file in place of its folder", () => {
    const { path } = newFolder();
    expect(() => requireProject(path)).toThrow(`No Saga project in ${path} or above it.`);
    writeFileSync(join(path, ".saga"), "");
    expect(() => requireProject(path)).toThrow("is not a folder");
  });
});

it("a linked `.saga` is known by its real path", () => {
  const { path } = newFolder();
  mkdirSync(join(path, "elsewhere"));
  symlinkSync("elsewhere", join(path, ".saga"));
  expect(layoutOf(path)).toEqual({ project: path, saga: join(path, "elsewhere") });
});

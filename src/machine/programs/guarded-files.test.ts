import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { guardedFiles, isSameEntry, stateOf } from "./guarded-files.ts";

it("guards settings, hooks, attributes, and how each worktree finds the shared folder", () => {
  const { path, write } = newFolder();
  write("hooks/pre-commit", "");
  write("hooks/pre-push.sample", "");
  write("hooks/.notes", "");
  write("worktrees/one/commondir", "../..\n");
  expect(guardedFiles(path)).toEqual({
    configs: ["config", "config.worktree", "worktrees/one/config.worktree"],
    files: ["info/attributes", "commondir", "hooks/pre-commit"],
    links: ["worktrees/one/commondir"],
  });
});

it("guards the folder of hooks as a whole if it is a link, here or in the trusted copy", () => {
  const { path, write } = newFolder();
  write("git/hooks/pre-commit", "");
  symlinkSync("/elsewhere", join(path, "hooks"));
  expect(guardedFiles(path).files).toContain("hooks");
  expect(guardedFiles(join(path, "git"), path).files).toContain("hooks");
});

it("notices every change to one of them, also when it is added or removed", () => {
  const { path, write } = newFolder();
  const states = [stateOf(path, "/none")];
  write("config", "[core]\n");
  states.push(stateOf(path, "/none"));
  write("hooks/pre-commit", "#!/bin/sh\n");
  states.push(stateOf(path, "/none"));
  chmodSync(join(path, "hooks/pre-commit"), 0o755);
  states.push(stateOf(path, "/none"));
  rmSync(join(path, "config"));
  states.push(stateOf(path, "/none"));
  expect(new Set(states).size).toBe(states.length);
  expect(stateOf(path, "/none")).toBe(states.at(-1));
});

it("two files are the same if they hold and may do the same, two links if they lead to the same", () => {
  const { path, write, link } = newFolder();
  const isSame = (one: string, other: string): boolean =>
    isSameEntry(join(path, one), join(path, other));
  write("a", "text");
  write("b", "text");
  write("c", "other");
  link("to-a", "a");
  link("also-to-a", "a");
  link("to-b", "b");
  expect(isSame("a", "b")).toBe(true);
  expect(isSame("a", "c")).toBe(false);
  expect(isSame("to-a", "also-to-a")).toBe(true);
  expect(isSame("to-a", "to-b")).toBe(false);
  expect(isSame("a", "to-a")).toBe(false);
  expect(isSame("a", "missing")).toBe(false);
  expect(isSame("missing", "gone")).toBe(true);
  chmodSync(join(path, "b"), 0o755);
  expect(isSame("a", "b")).toBe(false);
});

import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, prepare, STORY } from "../../test/support/repository.ts";
import { codeTree } from "./code-tree.ts";
import { headRef, ownGitDir } from "./head.ts";
import { commitOf } from "./refs.ts";

it("each checkout has a HEAD of its own, detached or on a branch", async () => {
  const test = newRepository();
  const { folder, gitDir } = await prepare(test);
  const { git } = await test.open();
  const here = git.at(folder);
  expect([await headRef(git), await headRef(here)]).toEqual([
    "refs/heads/main",
    `refs/heads/story/${STORY}`,
  ]);
  expect(ownGitDir(here)).toBe(gitDir);
  test.gitIn(folder, "commit", "--quiet", "--allow-empty", "--message=more");
  expect(await commitOf(here, "HEAD")).toBe(test.gitIn(folder, "rev-parse", "HEAD"));
  expect(await commitOf(git, "HEAD")).toBe(test.git("rev-parse", "HEAD"));
  test.gitIn(folder, "switch", "--quiet", "--detach");
  expect(await headRef(here)).toBeUndefined();
  expect(await commitOf(here, "HEAD")).toBe(test.gitIn(folder, "rev-parse", "HEAD"));
});

it("a folder that leads to another repository has no HEAD here", async () => {
  const test = newRepository();
  const { folder } = await prepare(test);
  const other = newRepository("other");
  writeFileSync(join(folder, ".git"), `gitdir: ${other.path}/.git\n`);
  const here = (await test.open()).git.at(folder);
  expect(ownGitDir(here)).toBeUndefined();
  expect(await headRef(here)).toBeUndefined();
  expect(await commitOf(here, "HEAD")).toBeUndefined();
  expect(await commitOf(here, "refs/heads/main")).toBeUndefined();
});

it("the tree of the code is the one that git makes without .saga, whatever its names and modes", async () => {
  const test = newRepository();
  test.write("a b/ä\tx", "1\n");
  test.write("run.sh", "#!/bin/sh\n");
  chmodSync(join(test.path, "run.sh"), 0o755);
  symlinkSync("run.sh", join(test.path, "link"));
  test.git("add", "--all");
  test.git("commit", "--quiet", "--message=more");
  const { git } = await test.open();
  test.git("rm", "-r", "--quiet", "--cached", ".saga");
  const code = test.git("write-tree");
  expect(await codeTree(git, "refs/heads/main")).toBe(code);
  // Each checkout has its own.
  const { folder } = await prepare(test);
  writeFileSync(join(folder, "more"), "more\n");
  test.gitIn(folder, "add", "more");
  test.gitIn(folder, "commit", "--quiet", "--message=more");
  expect(await codeTree(git.at(folder), "HEAD")).not.toBe(code);
  expect(await codeTree(git, "HEAD")).toBe(code);
  // Without anything of Saga's it is the commit's own.
  test.git("commit", "--quiet", "--message=without");
  expect(await codeTree(git, test.git("rev-parse", "main"))).toBe(code);
});

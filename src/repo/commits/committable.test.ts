import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, prepare } from "../../../test/support/repository.ts";
import { judgeCommittable } from "./committable.ts";

async function newPlace() {
  const test = newRepository();
  const { folder } = await prepare(test);
  const git = (...args: string[]): string => test.gitIn(folder, ...args);
  const repository = await test.open();
  const at = repository.git.at(folder);
  const gitDir = git("rev-parse", "--absolute-git-dir");
  const nest = (path: string): ((...args: string[]) => string) => {
    const inner = join(folder, path);
    mkdirSync(inner, { recursive: true });
    test.gitIn(inner, "init", "--quiet");
    test.write(join(".saga/worktrees/add-login", path, "precious"), "precious\n");
    return (...args) => test.gitIn(inner, ...args);
  };
  const why = async (exclude: readonly string[] = []): Promise<string | undefined> =>
    (await judgeCommittable(at, gitDir, "add-login", exclude)).problem;
  return { test, folder, git, nest, why };
}

it("nothing prevents the commit of ordinary work", async () => {
  expect(await (await newPlace()).why()).toBeUndefined();
});

it("a nested repository without a commit prevents it, because git would not add its files", async () => {
  const { nest, why } = await newPlace();
  nest("deep/sub");
  expect(await why()).toContain("deep/sub is a nested git repository");
});

it("a nested repository with a commit prevents it", async () => {
  const { nest, why } = await newPlace();
  nest("sub")("commit", "--quiet", "--allow-empty", "--message=inner");
  expect(await why()).toContain("sub is a nested git repository");
});

it("a nested repository that was added as a link prevents it until git sees its files", async () => {
  const { nest, why, git, folder } = await newPlace();
  nest("sub")("commit", "--quiet", "--allow-empty", "--message=inner");
  git("add", "sub");
  git("commit", "--quiet", "--message=link");
  expect(await why()).toContain("sub was added as a nested git repository");
  rmSync(join(folder, "sub/.git"), { recursive: true });
  expect(await why()).toContain("git rm --cached");
  git("rm", "--quiet", "--cached", "sub");
  expect(await why()).toBeUndefined();
});

it("a submodule does not prevent it, nor does a repository at an excluded path", async () => {
  const { nest, why, git, test } = await newPlace();
  nest("copied");
  nest("module")("commit", "--quiet", "--allow-empty", "--message=inner");
  test.write(
    ".saga/worktrees/add-login/.gitmodules",
    '[submodule "m"]\n\tpath = module\n\turl = ../m\n',
  );
  git("add", "module");
  expect(await why(["copied"])).toBeUndefined();
});

it("another branch prevents it, and the message says how to return", async () => {
  const { git, why } = await newPlace();
  git("switch", "--quiet", "--create", "other");
  expect(await why()).toContain("Return to it with `git switch story/add-login`");
});

it.each(["", ".git"])("a missing worktree or .git file prevents it: %j", async (path) => {
  const { folder, why } = await newPlace();
  rmSync(join(folder, path), { recursive: true });
  expect(await why()).toContain(`There is no worktree at ${folder} any more`);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, prepare, STORY } from "../../../test/support/repository.ts";
import { headRef, ownGitDir } from "./head.ts";
import { commitOf } from "../../repo/refs.ts";

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

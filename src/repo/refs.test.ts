import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { newRepository, type TestRepository } from "../../test/support/repository.ts";
import { findProgram } from "../machine/processes/find-program.ts";
import { findRepository } from "./repository.ts";
import { isRecentAncestor, recentCommits, sharedCommit } from "./refs.ts";

/** A git that is killed whenever it looks for a shared commit. */
function killedGit(test: TestRepository): NodeJS.ProcessEnv {
  const git = findProgram("git", process.env);
  const script = `#!/bin/sh\ncase "$*" in *merge-base*) kill -9 $$ ;; esac\nexec ${git} "$@"\n`;
  const file = test.write("../bin/git", script);
  chmodSync(file, 0o755);
  return { ...test.env, PATH: `${dirname(file)}:${process.env["PATH"]}` };
}

describe("the commit that two others share", () => {
  it("is found, and missing between two histories that have nothing in common", async () => {
    const test = newRepository();
    const { git } = await test.open();
    const first = test.git("rev-parse", "HEAD");
    test.git("commit", "--quiet", "--allow-empty", "--message=Second");
    expect(await sharedCommit(git, "HEAD", first)).toBe(first);
    const unrelated = test.git("commit-tree", "HEAD^{tree}", "-m", "Alone");
    expect(await sharedCommit(git, "HEAD", unrelated)).toBeUndefined();
  });

  it("is unknown, not none, if git is killed or cannot read a commit", async () => {
    const test = newRepository();
    const { git } = await findRepository(test.path, killedGit(test));
    await expect(sharedCommit(git, "HEAD", "HEAD")).rejects.toThrow("killed by SIGKILL");
    const missing = "0".repeat(39) + "1";
    const { git: well } = await test.open();
    await expect(sharedCommit(well, "HEAD", missing)).rejects.toThrow("merge-base failed");
  });
});

describe("the last commits down to another", () => {
  it("are listed with their parents, newest first", async () => {
    const test = newRepository();
    const { git } = await test.open();
    const first = test.git("rev-parse", "HEAD");
    test.git("commit", "--quiet", "--allow-empty", "--message=Second\n\nparent of all");
    const second = test.git("rev-parse", "HEAD");
    const other = test.git("commit-tree", "HEAD^{tree}", "-p", first, "-m", "Other");
    test.git("merge", "--quiet", "--no-ff", "--message=Both", other);
    const merge = test.git("rev-parse", "HEAD");
    expect(await recentCommits(git, first, merge)).toEqual([
      { id: merge, parents: [second, other] },
      { id: second, parents: [first] },
    ]);
    expect(await recentCommits(git, first, first)).toEqual([]);
    expect(await isRecentAncestor(git, second, merge)).toBe(true);
  });

  it("are unknown if it is not below them by first parents, or is a name", async () => {
    const test = newRepository();
    const { git } = await test.open();
    const first = test.git("rev-parse", "HEAD");
    const alone = test.git("commit-tree", "HEAD^{tree}", "-m", "Alone");
    expect(await recentCommits(git, first, alone)).toBeUndefined();
    expect(await recentCommits(git, "main", first)).toBeUndefined();
    expect(await recentCommits(git, first, "HEAD")).toBeUndefined();
  });
});

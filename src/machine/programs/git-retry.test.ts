import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository.ts";
import { openGit } from "./git.ts";
import { waitForCommonDir } from "./git-retry.ts";

/** A repository with a worktree between two of git's steps. */
async function newScene() {
  const { path, env } = newRepository();
  const git = openGit(path, env);
  await git.ask(["worktree", "add", "--quiet", "--detach", join(path, "other")]);
  const file = join(path, ".git/worktrees/other/commondir");
  const words = readFileSync(file, "utf8");
  writeFileSync(file, "");
  return { path, git, file, words };
}

const complaintOf = (file: string): string => `fatal: failed to read ${file}: Success`;

describe("a worktree that is being made", () => {
  it("delays commands that list all worktrees until it is complete", async () => {
    const { git, file, words } = await newScene();
    const answer = git.ask(["worktree", "list", "--porcelain"]);
    setTimeout(() => writeFileSync(file, words), 300);
    expect(await answer).toContain("/other\n");
  });

  it("is completed with git's own text after its git was killed", async () => {
    const { git, path, file, words } = await newScene();
    expect(await waitForCommonDir(path, complaintOf(".git/worktrees/other/commondir"), 100)).toBe(
      true,
    );
    expect(readFileSync(file, "utf8")).toBe(words);
    expect(await git.ask(["-C", "other", "rev-parse", "--is-inside-work-tree"])).toBe("true");
  });

  it("causes no retry when git has another error", async () => {
    const { path, file } = await newScene();
    expect(await waitForCommonDir(path, "fatal: not a git repository", 100)).toBe(false);
    expect(readFileSync(file, "utf8")).toBe("");
  });
});

import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { newRepository, type TestRepository } from "../../test/support/repository.ts";
import { findProgram } from "../machine/processes/find-program.ts";
import { findRepository } from "./repository.ts";
import { sharedCommit } from "./refs.ts";

/** A git that is killed whenever it looks for a shared commit. */
function killedGit(test: TestRepository): NodeJS.ProcessEnv {
  const git = findProgram("git", process.env);
  const script = `#!/bin/sh\ncase "$*" in *merge-base*) kill -9 $$ ;; esac\nexec ${git} "$@"\n`;
  const file = test.write("../bin/git", script);
  chmodSync(file, 0o755);
  return { ...test.env, PATH: `${dirname(file)}:${process.env["PATH"]}` };
}

describe("the commit that two others share", () => {
  it("is found, and is none of two histories that have nothing in common", async () => {
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

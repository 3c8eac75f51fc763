import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { addOrigin, newRepository } from "../../../test/support/repository.ts";
import { fileComplaints, gitFailure } from "./git-failure.ts";
import { openGit } from "./git.ts";

describe("why git failed, by its own words", () => {
  it("is a ref that the remote does not have, when it is fetched or deleted", async () => {
    const test = newRepository();
    addOrigin(test);
    const { git } = await test.open();
    expect(gitFailure(await git.attempt(["fetch", "origin", "none"]))).toBe("missing-ref");
    expect(gitFailure(await git.attempt(["push", "origin", ":none"]))).toBe("missing-ref");
  });

  it("is a lock of another process", async () => {
    const test = newRepository();
    addOrigin(test);
    test.write(".git/refs/remotes/origin/main.lock", "");
    test.git("commit", "--quiet", "--allow-empty", "--message=more");
    test.git("push", "--quiet", join(test.path, "../origin.git"), "main");
    const { git } = await test.open();
    expect(gitFailure(await git.attempt(["fetch", "origin"]))).toBe("locked");
  });

  it("is a folder without a repository", async () => {
    const { path } = newFolder("empty");
    const git = openGit(path, { PATH: process.env["PATH"], HOME: path });
    expect(gitFailure(await git.attempt(["rev-parse", "HEAD"]))).toBe("not-a-repository");
  });

  it("is two commits without a common one", async () => {
    const test = newRepository();
    test.git("switch", "--quiet", "--orphan", "other");
    test.git("commit", "--quiet", "--allow-empty", "--message=other");
    const { git } = await test.open();
    const merged = await git.attempt(["merge-tree", "--write-tree", "main", "other"]);
    expect(gitFailure(merged)).toBe("unrelated-histories");
  });

  it("is nothing of these when it succeeded, or failed otherwise", async () => {
    const test = newRepository();
    const { git } = await test.open();
    expect(gitFailure(await git.attempt(["rev-parse", "HEAD"]))).toBeUndefined();
    expect(gitFailure(await git.attempt(["rev-parse", "--verify", "none"]))).toBeUndefined();
  });

  it("is about single files only if git did the rest", () => {
    expect(fileComplaints("error: open(\"a\")\nerror: unable to index 'a'")).toEqual([
      'open("a")',
      "unable to index 'a'",
    ]);
    expect(fileComplaints('error: open("a")\nfatal: adding files failed')).toBeUndefined();
    expect(fileComplaints("warning: a")).toBeUndefined();
  });
});

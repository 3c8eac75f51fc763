import { expect, it } from "vitest";
import { addOrigin, newRepository } from "../../test/support/repository.ts";
import { deleteRemoteBranch, readRemoteBranches } from "./remote-branch.ts";

async function withBranch() {
  const test = newRepository();
  const origin = addOrigin(test);
  const commit = test.git("rev-parse", "HEAD");
  test.git("push", "--quiet", "origin", "HEAD:refs/heads/story/a", "HEAD:refs/heads/story/b");
  test.git("fetch", "--quiet", "origin");
  return { test, origin, commit, repository: await test.open() };
}

it("reads the branches that match from the remote itself", async () => {
  const { test, origin, commit, repository } = await withBranch();
  test.gitIn(origin, "branch", "--quiet", "-D", "story/b");
  expect([...(await readRemoteBranches(repository, "story/*"))]).toEqual([["story/a", commit]]);
  test.git("remote", "set-url", "origin", `${origin}.away`);
  await expect(readRemoteBranches(repository, "story/*")).rejects.toThrow(
    "The branches of origin could not be read",
  );
});

it("deletes a branch at the known commit only, and says why it stays", async () => {
  const { test, origin, commit, repository } = await withBranch();
  const other = test.git("commit-tree", "-p", commit, "-m", "other", `${commit}^{tree}`);
  expect(await deleteRemoteBranch(repository, { branch: "story/a", commit: other })).toBe(
    "it has other commits",
  );
  test.gitIn(origin, "config", "receive.denyDeletes", "true");
  expect(await deleteRemoteBranch(repository, { branch: "story/a", commit })).toContain(
    "deletion prohibited",
  );
  test.gitIn(origin, "config", "receive.denyDeletes", "false");
  for (const time of ["first", "again"]) {
    const why = await deleteRemoteBranch(repository, { branch: "story/a", commit });
    expect([time, why]).toEqual([time, undefined]);
  }
  expect(test.git("branch", "--remotes", "--list", "origin/story/*").trim()).toBe("origin/story/b");
});

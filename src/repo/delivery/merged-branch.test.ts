import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BRANCH, newDelivery, type Delivery } from "../../../test/support/delivery.ts";
import { STORY } from "../../../test/support/repository.ts";
import { openLocalForge } from "../../machine/forge/forge-local.ts";
import { newGithubForge } from "../../../test/support/github-server.ts";
import { readRemoteBranches } from "../remote-branch.ts";
import { removeAtRemote, removeMergedBranch, restoreBranch } from "./merged-branch.ts";

async function delivered(): Promise<Delivery> {
  const delivery = await newDelivery();
  delivery.work({ "new.txt": "new\n" });
  await delivery.deliver();
  return delivery;
}

const isThere = ({ test }: Delivery): boolean =>
  test.git("branch", "--list", BRANCH, "--format=%(refname)") !== "";

it("a merged branch is deleted once no checkout has it, and restored from its record", async () => {
  const delivery = await delivered();
  const { test, folder } = delivery;
  const repository = await test.open();
  const tip = test.git("rev-parse", BRANCH);
  expect(await removeMergedBranch(repository, STORY)).toBe(false);
  test.git("worktree", "remove", "--force", folder);
  const elsewhere = join(test.path, "../elsewhere");
  test.git("worktree", "add", "--quiet", elsewhere, BRANCH);
  expect(await removeMergedBranch(repository, STORY)).toBe(false);
  test.git("worktree", "remove", elsewhere);
  expect(await removeMergedBranch(repository, STORY)).toBe(true);
  expect(isThere(delivery)).toBe(false);
  expect(await restoreBranch(repository, STORY)).toBe(tip);
  expect(test.git("rev-parse", BRANCH)).toBe(tip);
});

it("a branch with an unmerged commit stays", async () => {
  const delivery = await delivered();
  const { test, folder } = delivery;
  delivery.work({ "more.txt": "more\n" });
  test.git("worktree", "remove", "--force", folder);
  expect(await removeMergedBranch(await test.open(), STORY)).toBe(false);
  expect(isThere(delivery)).toBe(true);
});

describe("the branch of a delivered story at the remote", () => {
  /** Delivered, and pushed before. */
  async function pushed({ isBehind = false } = {}) {
    const delivery = await newDelivery({ isRemote: true });
    const { test } = delivery;
    const tip = delivery.work({ "new.txt": "new\n" });
    test.git("push", "--quiet", "origin", BRANCH);
    if (isBehind) delivery.work({ "more.txt": "more\n" });
    await delivery.deliver();
    const repository = await test.open();
    const there = async () => (await readRemoteBranches(repository, BRANCH)).get(BRANCH);
    const local = openLocalForge(join(test.path, "../pulls"), Date.now);
    const remove = async (more: Partial<Parameters<typeof removeAtRemote>[0]> = {}) =>
      removeAtRemote({
        repository,
        storyId: STORY,
        forge: local,
        there: await there(),
        ...more,
      });
    return { delivery, test, tip, there, remove };
  }

  it.each([false, true])("is deleted once, also when it was behind: %s", async (isBehind) => {
    const { test, tip, there, remove } = await pushed({ isBehind });
    expect(await remove({ isDryRun: true })).toEqual({ why: undefined });
    expect(await there()).toBe(tip);
    expect(await remove()).toEqual({ why: undefined });
    expect(await there()).toBeUndefined();
    expect(test.git("branch", "--remotes", "--list", `*/${BRANCH}`)).toBe("");
    expect(await remove()).toBeUndefined();
  });

  it("stays when it gets a commit between the look and the deletion", async () => {
    const { delivery, tip, there, remove } = await pushed();
    const more = delivery.meanwhile({ "more.txt": "more\n" }, "more", BRANCH);
    expect(await remove({ there: tip })).toEqual({
      why: `origin still has ${BRANCH}: it has other commits.`,
    });
    expect(await there()).toBe(more);
    expect(await remove()).toMatchObject({
      why: expect.stringContaining("commits that were not merged") as string,
    });
  });

  it("is forgotten here when someone else has deleted it there", async () => {
    const { delivery, test, tip, remove } = await pushed();
    test.gitIn(join(test.path, "../colleague"), "push", "--quiet", "origin", `:${BRANCH}`);
    expect(await remove({ there: tip })).toEqual({ why: undefined });
    test.git("update-ref", `refs/remotes/origin/${BRANCH}`, tip);
    expect(await remove()).toBeUndefined();
    expect(test.git("branch", "--remotes", "--list", `*/${BRANCH}`)).toBe("");
    expect(delivery.log(`refs/saga/merged/${STORY}`, "%H")).toContain(tip);
  });

  it("stays when the target does not have the story any more", async () => {
    const { test, tip, there, remove } = await pushed();
    test.git("update-ref", "refs/remotes/origin/trunk", "main");
    expect(await remove()).toBeUndefined();
    expect(await there()).toBe(tip);
  });

  it("stays until GitHub shows its pull request as merged", async () => {
    const { tip, there, remove } = await pushed();
    const { github, forge } = await newGithubForge();
    const pull = github.add({ head: BRANCH });
    expect(await remove({ forge })).toEqual({
      why: `origin still has ${BRANCH}: its pull request is open, not merged.`,
    });
    expect(await there()).toBe(tip);
    let reads = 0;
    // GitHub sees the merge a moment later.
    github.trouble.before = () => {
      if (++reads === 2)
        Object.assign(pull, { state: "closed", merged_at: "2026-11-18T04:00:00Z" });
    };
    expect(await remove({ forge, isPatient: true })).toEqual({ why: undefined });
    expect(await there()).toBeUndefined();
  });
});

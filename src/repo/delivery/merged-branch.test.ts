import { join } from "node:path";
import { expect, it } from "vitest";
import { BRANCH, newDelivery, type Delivery } from "../../../test/support/delivery.ts";
import { STORY } from "../../../test/support/repository.ts";
import { restoreBranch, removeMergedBranch } from "./merged-branch.ts";

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

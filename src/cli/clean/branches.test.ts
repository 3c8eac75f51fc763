import { expect, it } from "vitest";
import { BRANCH, newDelivery, type Delivery } from "../../../test/support/delivery.ts";
import { STORY } from "../../../test/support/repository.ts";
import { openStore } from "../../store/file-store.ts";

/** A merged story without a worktree, and another story's branch with its own commit. */
async function merged(): Promise<Delivery> {
  const delivery = await newDelivery();
  const { test, folder } = delivery;
  delivery.work({ "new.txt": "new\n" });
  test.git("branch", "story/other", BRANCH);
  await delivery.deliver();
  test.git("worktree", "remove", "--force", folder);
  return delivery;
}

const branches = ({ test }: Delivery): string[] =>
  test.git("branch", "--list", "story/*", "--format=%(refname:short)").split("\n");

const clean = async ({ test }: Delivery, ...words: string[]): Promise<unknown> =>
  (await test.sagaWithEnv(test.env, "clean", "--json", ...words)).json()["removed"];

it("saga clean deletes the branch of a merged story, and no other", async () => {
  const delivery = await merged();
  const tip = delivery.test.git("rev-parse", BRANCH);
  expect(await clean(delivery, "--dry-run")).toEqual([`branch ${BRANCH}`]);
  expect(branches(delivery)).toEqual([BRANCH, "story/other"]);
  expect(await clean(delivery)).toEqual([`branch ${BRANCH}`]);
  expect(branches(delivery)).toEqual(["story/other"]);
  // Its commits stay reachable from the record of the merge.
  expect(delivery.test.git("rev-list", `refs/saga/merged/${STORY}`).split("\n")).toContain(tip);
  expect(await clean(delivery)).toEqual([]);
});

it("saga clean leaves the branch of a story that has new commits or is in use", async () => {
  const delivery = await merged();
  const { test } = delivery;
  const { leases } = openStore(test.path);
  const { lease } = await leases.acquire(`story.${STORY}`, { owner: "saga run", ttlMs: 60_000 });
  expect(await clean(delivery)).toEqual([]);
  await lease?.release();
  const more = test.git("commit-tree", "-p", BRANCH, "-m", "more", `${BRANCH}^{tree}`);
  test.git("update-ref", `refs/heads/${BRANCH}`, more);
  expect(await clean(delivery)).toEqual([]);
  expect(branches(delivery)).toEqual([BRANCH, "story/other"]);
});

import { expect, it } from "vitest";
import { newRepository, STORY } from "../../../test/support/repository.ts";
import { readSnapshots } from "./snapshot.ts";
import { snapshotCommit } from "./snapshot-commit.ts";

it("keeps a commit reachable, and takes no second snapshot of it", async () => {
  const test = newRepository();
  const { git } = await test.open();
  test.git("checkout", "--quiet", "-b", "side");
  test.git("commit", "--quiet", "--allow-empty", "--message=lost");
  const tip = test.git("rev-parse", "HEAD");
  test.git("checkout", "--quiet", "main");
  test.git("branch", "--quiet", "-D", "side");
  const about = { tip, why: "its branch moves" };
  expect(await snapshotCommit(git, STORY, about)).toMatchObject({ number: 1 });
  expect(await snapshotCommit(git, STORY, about)).toBeUndefined();
  expect((await readSnapshots(git, STORY)).map(({ parents }) => parents[0])).toEqual([tip]);
  expect(test.git("for-each-ref", "--contains", tip)).toContain(`refs/saga/keep/${STORY}/1`);
});

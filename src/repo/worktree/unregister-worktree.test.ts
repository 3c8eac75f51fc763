import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, placeIn, prepare, STORY } from "../../../test/support/repository.ts";
import { readSnapshots } from "../snapshots/snapshot.ts";
import { readSituation } from "./situation.ts";
import { unregisterWorktree } from "./unregister-worktree.ts";

/** A worktree whose folder was deleted by hand, after `act` has worked in it. */
async function newLost(act: (folder: string, git: (...args: string[]) => string) => void) {
  const test = newRepository();
  const { folder } = await prepare(test);
  act(folder, (...args) => test.gitIn(folder, ...args));
  rmSync(folder, { recursive: true });
  const repository = await test.open();
  const unregister = async (): Promise<void> => {
    const situation = await readSituation(repository, STORY);
    for (const lost of situation.lost) await unregisterWorktree(repository, situation, lost);
  };
  const snapshots = () => readSnapshots(repository.git, STORY);
  const isListed = (): boolean => test.git("worktree", "list").includes(placeIn(test));
  return { test, unregister, snapshots, isListed };
}

it("forgets a worktree that is gone, and saves nothing that its branch has", async () => {
  const { unregister, snapshots, isListed } = await newLost(() => undefined);
  expect(isListed()).toBe(true);
  await unregister();
  expect([isListed(), await snapshots()]).toEqual([false, []]);
});

it("saves what was staged in it first: only its git folder has that", async () => {
  const { test, unregister, snapshots } = await newLost((folder, git) => {
    writeFileSync(join(folder, "staged.txt"), "staged\n");
    git("add", "staged.txt");
  });
  await unregister();
  const [snapshot] = await snapshots();
  expect(test.git("show", `${snapshot?.commit}:staged.txt`)).toBe("staged");
});

it("saves a commit that was on no branch", async () => {
  let lost = "";
  const { unregister, snapshots } = await newLost((_, git) => {
    git("checkout", "--quiet", "--detach");
    git("commit", "--quiet", "--allow-empty", "--message=lost");
    lost = git("rev-parse", "HEAD");
  });
  await unregister();
  expect((await snapshots()).map(({ parents }) => parents[0])).toEqual([lost]);
});

it("removes an empty folder in its place, which git would refuse", async () => {
  const { test, unregister, isListed } = await newLost(() => undefined);
  mkdirSync(placeIn(test), { recursive: true });
  await unregister();
  expect(isListed()).toBe(false);
});

it("keeps a worktree whose index cannot be read, and names the command that drops it", async () => {
  const { test, unregister, isListed } = await newLost(() => undefined);
  writeFileSync(join(test.path, ".git/worktrees", STORY, "index"), "broken");
  await expect(unregister()).rejects.toMatchObject({
    code: "not-ready",
    hint: expect.stringContaining("git worktree remove") as string,
  });
  expect(isListed()).toBe(true);
});

import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BRANCH, newDelivery, type Delivery } from "../../../test/support/delivery.ts";
import { killedAtEachCall } from "../../../test/support/repository.ts";
import type { Git } from "../../machine/programs/git.ts";
import { ensureEpicBranch, type EpicBranch } from "./epic-branch.ts";
import type { Target } from "./target.ts";

const EPIC = "epic/shop";

async function ensure(
  { test }: Delivery,
  { base = "main", canPush = false, canRestart = false, dying = (git: Git): Git => git } = {},
): Promise<EpicBranch> {
  const repository = await test.open();
  return ensureEpicBranch({
    repository: { ...repository, git: dying(repository.git) },
    epicId: "shop",
    base: { branch: base, commit: test.git("rev-parse", base) },
    canPush,
    canRestart,
  });
}

describe.each([
  ["in this repository", false],
  ["at the remote", true],
])("the branch of an epic %s", (_, isRemote) => {
  const newEpic = async (): Promise<Delivery & { readonly epic: Target }> => {
    const delivery = await newDelivery({ isRemote });
    return { ...delivery, epic: { branch: EPIC, place: isRemote ? "remote" : "here" } };
  };
  const made = (
    delivery: Delivery,
    more: { base?: string; canRestart?: boolean } = {},
  ): Promise<EpicBranch> => ensure(delivery, { ...more, canPush: isRemote });
  const remove = ({ test }: Delivery): void => {
    if (isRemote) test.git("push", "--quiet", "origin", `:${EPIC}`);
    else test.git("branch", "-D", EPIC);
  };

  it("is created from the base, once", async () => {
    const delivery = await newEpic();
    const commit = delivery.test.git("rev-parse", "main");
    const target = delivery.epic;
    expect(await made(delivery)).toEqual({
      kind: "ready",
      target,
      commit,
      isNew: true,
      warnings: [],
    });
    expect(delivery.target(EPIC)).toBe(commit);
    expect(await made(delivery)).toMatchObject({ kind: "ready", isNew: false, warnings: [] });
  });

  it("takes stories, and is known as merged after a merge, a squash or its deletion", async () => {
    const delivery = await newEpic();
    await made(delivery);
    delivery.work({ "new.txt": "new\n" });
    const { commit } = (await delivery.deliver({ target: delivery.epic })) as { commit: string };
    expect(await made(delivery)).toMatchObject({ kind: "ready", commit, isNew: false });
    const { test } = delivery;
    const squashed = test.git("commit-tree", `${commit}^{tree}`, "-p", "main", "-m", "Squash");
    test.git("update-ref", "refs/heads/squashed", squashed);
    test.git("update-ref", "refs/heads/merged", commit);
    for (const base of ["squashed", "merged"]) {
      expect(await made(delivery, { base })).toMatchObject({ kind: "merged", commit });
    }
    remove(delivery);
    expect(await made(delivery, { base: "merged" })).toMatchObject({ kind: "merged", commit });
  });

  it.each(["merged", "squashed", "merged and deleted"])(
    "restarts from the base once it is %s, for a persistent epic",
    async (how) => {
      const delivery = await newEpic();
      const { test } = delivery;
      await made(delivery);
      delivery.work({ "new.txt": "new\n" });
      const { commit } = (await delivery.deliver({ target: delivery.epic })) as { commit: string };
      const parents = how === "squashed" ? ["main"] : ["main", commit];
      const words = parents.flatMap((parent) => ["-p", parent]);
      const base = test.git("commit-tree", `${commit}^{tree}`, ...words, "-m", "Merge");
      test.git("update-ref", "refs/heads/after", base);
      if (how === "merged and deleted") remove(delivery);
      const again = { base: "after", canRestart: true };
      expect(await made(delivery, again)).toMatchObject({
        kind: "ready",
        warnings: [`${EPIC} was merged into after and restarts from there.`],
      });
      const start = delivery.target(EPIC);
      expect(test.git("rev-parse", `${start}^{tree}`)).toBe(test.git("rev-parse", "after^{tree}"));
      // Nothing that others may have is rewritten.
      expect(test.git("rev-list", start).split("\n")).toEqual(
        expect.arrayContaining([base, commit]),
      );
      expect(test.git("rev-parse", "refs/saga/epic/shop/from")).toBe(start);
      // It has nothing new, so it is not merged again and stays where it is.
      expect(await made(delivery, again)).toMatchObject({ kind: "ready", commit: start });
      expect(delivery.target(EPIC)).toBe(start);
    },
  );

  it("restarts however often that is killed", async () => {
    const delivery = await newEpic();
    await made(delivery);
    delivery.work({ "new.txt": "new\n" });
    const { commit } = (await delivery.deliver({ target: delivery.epic })) as { commit: string };
    delivery.test.git("update-ref", "refs/heads/later", commit);
    await killedAtEachCall(async (dying) => {
      await ensure(delivery, { base: "later", canPush: isRemote, canRestart: true, dying });
    });
    expect(await made(delivery, { base: "later" })).toMatchObject({ kind: "ready", commit });
  });

  it("is created again with its stories after a person deleted it, with a warning", async () => {
    const delivery = await newEpic();
    await made(delivery);
    delivery.work({ "new.txt": "new\n" });
    const { commit } = (await delivery.deliver({ target: delivery.epic })) as { commit: string };
    const from = delivery.test.git("rev-parse", "refs/saga/epic/shop/from");
    remove(delivery);
    expect(await made(delivery)).toMatchObject({
      kind: "ready",
      isNew: true,
      commit,
      warnings: [
        `${EPIC} was deleted; it was created again with its stories, at ${commit.slice(0, 12)}.`,
      ],
    });
    expect(delivery.target(EPIC)).toBe(commit);
    expect(delivery.test.git("rev-parse", "refs/saga/epic/shop/from")).toBe(from);
    expect(await made(delivery)).toMatchObject({ kind: "ready", isNew: false, warnings: [] });
    // Where the epic began is still known.
    const base = isRemote ? `origin/${EPIC}` : EPIC;
    expect(await made(delivery, { base })).toMatchObject({ kind: "merged" });
  });

  it("is created again from the base when it had no stories", async () => {
    const delivery = await newEpic();
    await made(delivery);
    remove(delivery);
    delivery.test.git("commit", "--quiet", "--allow-empty", "--message=Later");
    const commit = delivery.test.git("rev-parse", "main");
    expect(await made(delivery)).toMatchObject({ isNew: true, commit, warnings: [] });
  });

  it("is created however often that is killed", async () => {
    const delivery = await newEpic();
    await killedAtEachCall(async (dying) => {
      await ensure(delivery, { canPush: isRemote, dying });
    });
    expect(await made(delivery)).toMatchObject({ kind: "ready", isNew: false, warnings: [] });
    expect(delivery.target(EPIC)).toBe(delivery.test.git("rev-parse", "main"));
  });
});

it("an epic's branch that only the remote has is fetched, with its stories", async () => {
  const delivery = await newDelivery({ isRemote: true });
  delivery.test.git("push", "--quiet", "origin", `trunk:${EPIC}`);
  const commit = delivery.meanwhile({ "other.txt": "other\n" }, "Other", EPIC);
  expect(await ensure(delivery)).toMatchObject({
    kind: "ready",
    commit,
    isNew: true,
    warnings: [],
  });
  expect(delivery.test.git("rev-parse", EPIC)).toBe(commit);
  const from = delivery.test.git("rev-parse", "refs/saga/epic/shop/from");
  expect(from).toBe(delivery.test.git("rev-parse", "main"));
});

it("an epic's branch that only this repository has is pushed to the remote", async () => {
  const delivery = await newDelivery({ isRemote: true });
  delivery.test.git("branch", EPIC, BRANCH);
  const commit = delivery.test.git("rev-parse", BRANCH);
  expect(await ensure(delivery, { canPush: true })).toMatchObject({ kind: "ready", commit });
  expect(delivery.target(EPIC)).toBe(commit);
});

it("diverged copies cause a warning", async () => {
  const delivery = await newDelivery({ isRemote: true });
  delivery.test.git("push", "--quiet", "origin", `trunk:${EPIC}`);
  const theirs = delivery.meanwhile({ "other.txt": "other\n" }, "Other", EPIC);
  delivery.test.git("branch", EPIC, BRANCH);
  const here = await ensure(delivery);
  const diverged = `${EPIC} here and at the remote have diverged; `;
  expect(here).toMatchObject({ warnings: [`${diverged}the local one is used.`] });
  const there = await ensure(delivery, { canPush: true });
  expect(there).toMatchObject({ commit: theirs, warnings: [`${diverged}the remote's is used.`] });
});

it("an unreachable remote is an error only if the branch lives there", async () => {
  const delivery = await newDelivery({ isRemote: true });
  rmSync(delivery.test.git("remote", "get-url", "origin"), { recursive: true });
  await expect(ensure(delivery, { canPush: true })).rejects.toThrow("could not be fetched");
  expect(await ensure(delivery)).toMatchObject({ kind: "ready", isNew: true });
  const target = { branch: "trunk", place: "remote" } as const;
  await expect(delivery.deliver({ target })).rejects.toThrow(
    "trunk could not be fetched from origin",
  );
});

it("a merged epic's branch does not restart while it is checked out", async () => {
  const delivery = await newDelivery();
  const { test } = delivery;
  await ensure(delivery);
  delivery.work({ "new.txt": "new\n" });
  await delivery.deliver({ target: { branch: EPIC, place: "here" } });
  test.git("branch", "after", EPIC);
  const folder = join(test.path, "../elsewhere");
  test.git("worktree", "add", "--quiet", folder, EPIC);
  const again = { base: "after", canRestart: true };
  await expect(ensure(delivery, again)).rejects.toThrow(
    `${EPIC} was merged into after and cannot restart`,
  );
  test.git("worktree", "remove", folder);
  expect(await ensure(delivery, again)).toMatchObject({ kind: "ready" });
});

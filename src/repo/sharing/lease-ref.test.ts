import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newClones, type Clone } from "../../../test/support/clones.ts";
import { openFence, readFences, takeFence, type HeldFence } from "./lease-ref.ts";

const isMine = async (): Promise<boolean> => true;
const LEASE = "refs/saga/lease/add-login";

const take = (
  { repository }: Clone,
  machine: string,
  fence: number,
  onStale = (): void => undefined,
): Promise<HeldFence> =>
  takeFence(repository, { storyId: "add-login", fence, machine, isMine }, onStale);

function commitIn({ git, write }: Clone, name: string): string {
  write(name, name);
  git("add", name);
  git("commit", "--quiet", `--message=${name}`);
  return git("rev-parse", "HEAD");
}

it("pushes together with the ref of its owner, and knows the owner before", async () => {
  const { ann, bob, remoteRefs } = await newClones();
  const fence = await take(ann, "ann", 3);
  expect(fence.lastMachine).toBeUndefined();
  const before = remoteRefs()[LEASE];
  const commit = commitIn(ann, "a.txt");
  expect(await fence.push([`${commit}:refs/heads/story/add-login`])).toMatchObject({ isOk: true });
  expect(remoteRefs()["refs/heads/story/add-login"]).toBe(commit);
  expect(remoteRefs()[LEASE]).not.toBe(before);
  expect((await take(bob, "bob", 4)).lastMachine).toBe("ann");
  expect(await readFences(ann.repository)).toEqual([
    { storyId: "add-login", fence: 4, machine: "bob" },
  ]);
});

it("lets an owner that slept through its lease push nothing", async () => {
  const { ann, bob, remoteRefs } = await newClones();
  let isStale = false;
  const old = await take(ann, "ann", 3, () => (isStale = true));
  await take(bob, "bob", 4);
  const refs = remoteRefs();
  const commit = commitIn(ann, "late.txt");
  const pushed = await old.push([
    `${commit}:refs/heads/story/add-login`,
    `${commit}:refs/saga/keep/add-login/3-ann-1`,
  ]);
  expect(pushed).toMatchObject({ isOk: false, stderr: "another machine has taken the story over" });
  expect([isStale, remoteRefs()]).toEqual([true, refs]);
});

it("refuses an owner with an older fence than the remote knows", async () => {
  const { ann, bob } = await newClones();
  await take(bob, "bob", 4);
  for (const fence of [3, 4]) {
    await expect(take(ann, "ann", fence)).rejects.toThrow(
      /newer owner at the remote \(bob, fence 4/,
    );
  }
});

it("continues after a push whose answer was lost", async () => {
  const { ann, remote, remoteRefs } = await newClones();
  const fence = await take(ann, "ann", 1);
  // The remote takes the push, and its answer says that it failed.
  const hook = join(remote, "hooks/post-receive");
  writeFileSync(hook, "#!/bin/sh\nkill -9 $PPID\n", { mode: 0o755 });
  const first = commitIn(ann, "a.txt");
  await fence.push([`${first}:refs/heads/story/add-login`]);
  writeFileSync(hook, "#!/bin/sh\n", { mode: 0o755 });
  const second = commitIn(ann, "b.txt");
  expect(await fence.push([`${second}:refs/heads/story/add-login`])).toMatchObject({ isOk: true });
  expect(remoteRefs()["refs/heads/story/add-login"]).toBe(second);
});

it("does one push after the other", async () => {
  const { ann, remoteRefs } = await newClones();
  const fence = await take(ann, "ann", 1);
  const commit = commitIn(ann, "a.txt");
  const names = [1, 2, 3].map((number) => `refs/saga/keep/add-login/1-ann-${number}`);
  const all = await Promise.all(names.map((name) => fence.push([`${commit}:${name}`])));
  expect(all.every(({ isOk }) => isOk)).toBe(true);
  expect(Object.keys(remoteRefs())).toEqual(expect.arrayContaining(names));
});

it("leaves the last owner when the first push of a new one is refused", async () => {
  const { ann, bob, remoteRefs } = await newClones();
  const first = { storyId: "cart", fence: 1, machine: "ann", isMine };
  const held = await takeFence(ann.repository, first, () => expect.unreachable());
  ann.git("commit", "--quiet", "--allow-empty", "--message=theirs");
  expect(await held.push(["HEAD:refs/heads/story/cart"])).toMatchObject({ isOk: true });
  const before = remoteRefs();
  bob.git("commit", "--quiet", "--allow-empty", "--message=other");
  const second = await openFence(bob.repository, {
    storyId: "cart",
    fence: 2,
    machine: "bob",
    isMine,
  });
  expect(second.lastMachine).toBe("ann");
  // Not a fast-forward.
  expect(await second.push(["HEAD:refs/heads/story/cart"])).toMatchObject({ isOk: false });
  expect(remoteRefs()).toEqual(before);
});

it("lets an owner push nothing that read no ref, slept, and was followed by one that landed the story", async () => {
  const { ann, bob, remoteRefs } = await newClones();
  let isStale = false;
  let owner = "ann";
  const late = await openFence(
    ann.repository,
    { storyId: "add-login", fence: 1, machine: "ann", isMine: async () => owner === "ann" },
    () => (isStale = true),
  );
  owner = "bob";
  await take(bob, "bob", 2);
  bob.git("push", "--quiet", "origin", `:${LEASE}`);
  const commit = commitIn(ann, "late.txt");
  const pushed = await late.push([`${commit}:refs/heads/story/add-login`]);
  expect([pushed.isOk, isStale]).toEqual([false, true]);
  expect(Object.keys(remoteRefs())).not.toContain("refs/heads/story/add-login");
});

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Clone } from "../../../test/support/clones.ts";
import { newFleetProject, openMemberStore } from "../../../test/support/fleet-project.ts";
import { asking, usePostgres } from "../../../test/support/postgres.ts";
import { takeFence, type HeldFence } from "../../repo/sharing/lease-ref.ts";
import { sharedSnapshotRef } from "../../repo/sharing/shared-snapshots.ts";
import { snapshotChanges } from "../../repo/snapshots/snapshot.ts";
import type { Store } from "../../store/store.ts";
import { openFleetOf } from "./open-fleet.ts";

const postgres = usePostgres();
const WORKTREE = ".saga/worktrees/cart";

async function newStage() {
  const project = await newFleetProject(await postgres());
  const { saga, envOf, ann } = project;
  await saga(ann, "epic", "run", "shop", "--fleet", "--detach");
  const storeOf = (clone: Clone): Store => openMemberStore(clone.path, envOf(clone));
  /** As a worker does: a commit that is pushed, and work that is not committed. It is over when the lease is released. */
  const workOn = async (clone: Clone, file: string) => {
    const store = storeOf(clone);
    const name = clone === ann ? "ann" : "bob";
    const { lease } = await store.leases.acquire("story.cart", { owner: "x", ttlMs: 60_000 });
    if (!lease) throw new Error("held");
    const owner = { storyId: "cart", fence: lease.fence, machine: name, isMine: lease.isMine };
    const fence: HeldFence = await takeFence(clone.repository, owner, () => undefined);
    const run = await store.startRun("cart", { fence: lease.fence });
    clone.git("worktree", "add", "--quiet", "-b", "story/cart", WORKTREE, "main");
    const folder = join(clone.path, WORKTREE);
    clone.write(`${WORKTREE}/${file}`, "committed\n");
    clone.gitIn(folder, "add", file);
    clone.gitIn(folder, "commit", "--quiet", `--message=${file}`);
    clone.write(`${WORKTREE}/half-${file}`, "half\n");
    const git = clone.repository.git.at(folder);
    const saved = await snapshotChanges({ git, storyId: "cart", why: "check-in", exclude: [] });
    const keep = `${saved?.commit}:${sharedSnapshotRef(owner, 1)}`;
    const pushed = await fence.push(["refs/heads/story/cart", keep]);
    expect(pushed.isOk).toBe(true);
    const fleet = await openFleetOf(
      { project: clone.path, env: envOf(clone) },
      await store.settings(),
    );
    return {
      tip: clone.gitIn(folder, "rev-parse", "HEAD"),
      half: saved?.commit ?? "",
      async end() {
        const endedAt = new Date().toISOString();
        run.update({ outcome: "limit", limit: "time", reason: "Too long.", endedAt });
        run.close();
        await fleet.openExchange(store).send("cart");
        await fleet.close();
        await lease.release();
      },
    };
  };
  const stateOn = async (clone: Clone): Promise<unknown> => {
    expect(await saga(clone, "fleet", "status")).toMatchObject({ exitCode: 0, stderr: "" });
    const { stdout } = await saga(clone, "list", "--json");
    const { stories } = JSON.parse(stdout) as { stories: { id: string; state: string }[] };
    const shown = JSON.parse((await saga(clone, "show", "cart", "--json")).stdout) as object;
    return [stories.find(({ id }) => id === "cart")?.state, "state" in shown && shown.state];
  };
  const queueState = async (): Promise<string | undefined> => {
    const { stdout } = await saga(ann, "fleet", "status", "--json");
    const { stories } = JSON.parse(stdout) as { stories: { story: string; queue: string }[] };
    return stories.find(({ story }) => story === "cart")?.queue;
  };
  const saved = (clone: Clone): string => clone.git("rev-list", "--glob=refs/saga/keep/cart/*");
  const parked = async (): Promise<unknown> => {
    const { stdout } = await saga(ann, "fleet", "sync", "--json");
    const synced = JSON.parse(stdout) as { queued: string[]; parked: unknown };
    expect(synced.queued).not.toContain("cart");
    return synced.parked;
  };
  return { ...project, storeOf, workOn, stateOn, queueState, parked, saved };
}

it("discards a story on all machines, also where its work was, and loses none of that", async () => {
  const { ann, bob, saga, workOn, stateOn, queueState, saved, remoteRefs } = await newStage();
  const discard = (clone: Clone) => saga(clone, "discard", "cart", "--yes");
  const work = await workOn(bob, "old.txt");
  const refs = remoteRefs();
  const refused = await discard(ann);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("cart is already running (x on bob).");
  expect(refused.stderr).toContain("Wait for it to end, or stop it: `saga stop cart`.");
  expect(remoteRefs()).toEqual(refs);
  await work.end();
  expect(await stateOn(ann)).toEqual(["limit", "limit"]);

  const done = await discard(ann);
  expect(done.stderr).toBe("");
  expect(done.stdout).toContain("`saga epic run shop --fleet` queues it");
  const left = Object.keys(remoteRefs()).filter((ref) => ref.includes("cart"));
  expect(left).toEqual(["refs/saga/lease/cart"]);
  expect(await queueState()).toBe("parked");
  expect(saved(ann)).toContain(work.tip);
  expect(saved(ann)).toContain(work.half);
  for (const clone of [ann, bob]) expect(await stateOn(clone)).toEqual(["ready", "ready"]);
  for (const clone of [ann, bob]) expect(clone.git("status", "--porcelain")).toBe("");
  expect(existsSync(join(bob.path, WORKTREE))).toBe(false);
  expect(bob.git("branch", "--list", "story/*")).toBe("");
  expect(saved(bob)).toContain(work.tip);
  const restored = await saga(bob, "snapshot", "restore", "cart", "2");
  expect(restored.exitCode, restored.stderr).toBe(0);
  expect(existsSync(join(bob.path, WORKTREE, "half-old.txt"))).toBe(true);
  expect((await discard(bob)).exitCode).toBe(0);
  expect((await discard(bob)).stdout).toContain("cart has no work to discard.");
});

it("follows a discard after the story was begun again elsewhere, and leaves the new work alone", async () => {
  const { ann, bob, saga, workOn, stateOn, saved, remoteRefs } = await newStage();
  const old = await workOn(bob, "old.txt");
  await old.end();
  expect((await saga(ann, "discard", "cart", "--yes")).exitCode).toBe(0);
  const fresh = await workOn(ann, "new.txt");
  await fresh.end();
  expect(await stateOn(bob)).toEqual(["limit", "limit"]);
  expect(existsSync(join(bob.path, WORKTREE))).toBe(false);
  expect(saved(bob)).toContain(old.tip);
  expect(remoteRefs()["refs/heads/story/cart"]).toBe(fresh.tip);
  expect(await stateOn(ann)).toEqual(["limit", "limit"]);
});

it("changes nothing if the remote cannot be reached: the others would continue with the work", async () => {
  const { ann, saga, workOn, queueState } = await newStage();
  const work = await workOn(ann, "old.txt");
  await work.end();
  const url = ann.git("remote", "get-url", "origin");
  ann.git("remote", "set-url", "origin", "/no/such/remote.git");
  const refused = await saga(ann, "discard", "cart", "--yes");
  expect(refused.exitCode).toBe(1);
  ann.git("remote", "set-url", "origin", url);
  expect(existsSync(join(ann.path, WORKTREE, "half-old.txt"))).toBe(true);
  expect(ann.git("rev-parse", "story/cart")).toBe(work.tip);
  expect(await queueState()).toBe("queued");
});

it("keeps out of a queue that is built again what needs a person or was discarded, until a person queues it", async () => {
  const { ann, bob, saga, workOn, queueState, parked, url } = await newStage();
  const loseDatabase = async (): Promise<void> => {
    await asking(url, async ({ query }) => {
      await query("DROP SCHEMA saga_shop CASCADE");
      await query("DROP SCHEMA saga_shop_jobs CASCADE");
    });
    expect((await saga(ann, "fleet", "init")).exitCode).toBe(0);
  };
  await (await workOn(bob, "old.txt")).end();
  await saga(ann, "fleet", "status");
  await loseDatabase();
  expect(await parked()).toEqual([{ story: "cart", why: "person" }]);
  expect((await saga(ann, "discard", "cart", "--yes")).exitCode).toBe(0);
  expect(await parked()).toEqual([{ story: "cart", why: "discarded" }]);
  await loseDatabase();
  const synced = await saga(ann, "fleet", "sync");
  expect(synced.stdout).toContain("Queued 2 stories of 1 epic\ncart is not queued: discarded\n");
  expect((await saga(bob, "fleet", "status")).stdout).toMatch(
    /cart +discarded: `saga epic run shop --fleet`\n/,
  );
  // A refused decision gives it to no machine.
  expect((await saga(bob, "accept", "cart")).exitCode).not.toBe(0);
  expect(await parked()).toEqual([{ story: "cart", why: "discarded" }]);
  await saga(ann, "epic", "run", "shop", "--fleet", "--detach");
  expect(await queueState()).toBe("queued");
});

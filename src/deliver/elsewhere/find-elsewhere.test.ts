import { expect, it } from "vitest";
import { newClones, type Clone } from "../../../test/support/clones.ts";
import { aStory, aTask } from "../../../test/support/project.ts";
import type { BatchContext } from "../../landing/landing.ts";
import { newBatchContext } from "../../landing/prepare-batch.ts";
import { takeFence } from "../../repo/sharing/lease-ref.ts";
import { openStore } from "../../store/file-store.ts";
import type { Entry, Lane } from "../../story/landing/entry.ts";
import { findElsewhere } from "./find-elsewhere.ts";

const MAIN: Lane = { branch: "main", place: "remote" };
const entryIn = (lane: Lane, machine = "ann"): Entry => ({
  id: "0000000000001-00000000",
  kind: "story",
  name: "cart",
  lane,
  machine,
  priority: 3,
  enqueuedAt: "2026-01-01T00:00:00.000Z",
  by: "saga merge",
  after: [],
  checks: [],
});

/** Ann's machine owns the story and has pushed it. Its files are on its branch alone. */
async function pushed() {
  const clones = await newClones();
  const { ann } = clones;
  ann.git("switch", "--quiet", "--create", "story/cart");
  ann.write(".saga/stories/cart/story.json", aStory("cart", { title: "A cart" }));
  ann.write(".saga/stories/cart/form.json", aTask("form", { status: "completed" }));
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=cart");
  const owner = { storyId: "cart", fence: 1, machine: "ann", isMine: async () => true };
  const fence = await takeFence(ann.repository, owner, () => undefined);
  await fence.push(["refs/heads/story/cart"]);
  return { ...clones, tip: ann.git("rev-parse", "story/cart") };
}

async function contextOf(
  { path, repository, env, write }: Clone,
  entry: Entry,
): Promise<BatchContext> {
  write(".saga/config.toml", '[fleet]\nname = "shop"\n');
  const store = openStore(path);
  const settings = await store.settings();
  return newBatchContext({ store, repository, settings, env, now: Date.now }, entry.lane, [entry]);
}

it("reads a story from its branch at the remote, and changes nothing of it here", async () => {
  const { bob, tip } = await pushed();
  const context = await contextOf(bob, entryIn(MAIN));
  const before = bob.git("status", "--porcelain", "--branch");
  const { work, refs } = await findElsewhere(context, entryIn(MAIN));
  expect(work.record.story.title).toBe("A cart");
  expect(work.record.tasks.map(({ id }) => id)).toEqual(["form"]);
  expect(work.range.commit).toBe(tip);
  expect(work.worktree).toBeUndefined();
  expect(refs.get("refs/heads/story/cart")).toBe(tip);
  expect(bob.git("status", "--porcelain", "--branch")).toBe(before);
  expect(bob.git("branch", "--list", "story/*")).toBe("");
});

it.each<[string, Entry]>([
  ["a story of which the remote knows another machine", entryIn(MAIN, "joe")],
  ["a lane that the story does not go into", entryIn({ ...MAIN, branch: "release" })],
  ["a story that the remote does not have", { ...entryIn(MAIN), name: "price" }],
])("refuses %s", async (_, entry) => {
  const { ann, bob } = await pushed();
  ann.git("push", "--quiet", "origin", "HEAD:refs/heads/release");
  await expect(findElsewhere(await contextOf(bob, entry), entry)).rejects.toThrow(
    "this machine cannot read it",
  );
});

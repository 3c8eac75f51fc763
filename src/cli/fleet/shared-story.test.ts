import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { newFleetProject, openMemberStore } from "../../../test/support/fleet-project.ts";
import { newProject } from "../../../test/support/project.ts";
import { usePostgres } from "../../../test/support/postgres.ts";
import { takeFence } from "../../repo/sharing/lease-ref.ts";
import { openStore } from "../../store/file-store.ts";
import type { Io } from "../program/io.ts";
import { withSharedStory } from "./shared-story.ts";

const postgres = usePostgres();
const RESULT = { json: {}, text: () => "" };

it("brings a story of another machine here before a decision, and shares what it changed", async () => {
  const { ann, bob, envOf, remoteRefs } = await newFleetProject(await postgres());
  const fence = await takeFence(
    ann.repository,
    { storyId: "cart", fence: 1, machine: "ann", isMine: async () => true },
    () => undefined,
  );
  const folder = join(ann.path, ".saga/worktrees/cart");
  ann.git("worktree", "add", "--quiet", "-b", "story/cart", folder);
  ann.write(".saga/worktrees/cart/done.txt", "done\n");
  ann.gitIn(folder, "add", "done.txt");
  ann.gitIn(folder, "commit", "--quiet", "--message=done");
  await fence.push(["refs/heads/story/cart"]);
  const store = openMemberStore(bob.path, envOf(bob));
  const leases = await store.leases.list();
  expect(leases).toEqual([]);
  const written: string[] = [];
  const io = { env: envOf(bob), writeError: (text: string) => void written.push(text) };
  // The engine has seen fence 1, as after a lease of ann.
  const { lease } = await store.leases.acquire("story.cart", { owner: "x", ttlMs: 1000 });
  await lease?.release();
  await withSharedStory(
    { command: "accept", stories: ["cart", "no-such-story"], store, io: io as unknown as Io },
    async () => {
      expect(existsSync(join(bob.path, ".saga/worktrees/cart/done.txt"))).toBe(true);
      bob.write(".saga/worktrees/cart/decided.txt", "decided\n");
      return RESULT;
    },
  );
  expect(written).toEqual([]);
  const saved = Object.keys(remoteRefs()).filter((ref) => ref.includes("/keep/cart/"));
  expect(saved).toEqual([expect.stringMatching(/\/\d+-bob-\d+$/)]);
});

it("does nothing for other commands, nor outside of a fleet", async () => {
  const store = openStore(newProject().path);
  const act = vi.fn<() => Promise<typeof RESULT>>(async () => RESULT);
  const io = {} as unknown as Io;
  expect(await withSharedStory({ command: "accept", stories: ["x"], store, io }, act)).toBe(RESULT);
  expect(await withSharedStory({ command: "logs", stories: ["x"], store, io }, act)).toBe(RESULT);
  expect(act).toHaveBeenCalledTimes(2);
});

import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { everythingIn, leftInFlight } from "../../test/support/in-flight.ts";
import { STORY } from "../../test/support/repository.ts";
import { loadSettings } from "../store/project/config.ts";
import { layoutOf } from "../store/project/layout.ts";
import type { Run } from "../story/state/run.ts";
import { followedDiscard } from "../repo/sharing/shared-discard.ts";
import { followDiscard, runsBefore } from "./follow-discard.ts";

const DISCARD = { fence: 3, at: "2026-11-18T10:00:00.000Z" };
const run = (id: string, fence?: number): Run => ({ id, fence }) as Run;

it("counts all runs before the first one under a later ownership, with what people decided in between", () => {
  const runs = [run("f"), run("e", 5), run("d"), run("c", 4), run("b"), run("a", 2)];
  const ids = (fence: number): string[] => runsBefore(runs, fence).map(({ id }) => id);
  expect(ids(3)).toEqual(["b", "a"]);
  expect(ids(4)).toEqual(["d", "c", "b", "a"]);
  expect(ids(5)).toEqual(["f", "e", "d", "c", "b", "a"]);
  expect(ids(1)).toEqual([]);
});

it("saves what this machine has of the story and resets it, without an entry in a file that all machines share", async () => {
  const stage = await leftInFlight();
  const before = everythingIn(stage, stage.folder);
  const { store, env } = stage;
  const repository = await stage.open();
  const { settings } = loadSettings(layoutOf(stage.path));
  const context = { store, repository, settings, env, now: Date.now };
  const discard = { storyId: STORY, discard: DISCARD, machine: "ann", branch: undefined };
  const status = stage.git("status", "--porcelain", "--untracked-files=all", "--", ".saga/stories");
  const { lease } = await store.leases.acquire(`story.${STORY}`, { owner: "saga", ttlMs: 60_000 });
  for (let times = 0; times < 2; times++) expect(await followDiscard(context, discard)).toEqual([]);
  await lease?.release();
  expect(existsSync(stage.folder)).toBe(false);
  expect(stage.git("branch", "--list", "story/*")).toBe("");
  expect((await store.viewStory(STORY)).state).toBe("ready");
  expect(await followedDiscard(repository.git, STORY)).toEqual(DISCARD);
  expect(stage.git("status", "--porcelain", "--untracked-files=all", "--", ".saga/stories")).toBe(
    status,
  );
  const restored = await stage.saga("snapshot", "restore", STORY, "1");
  expect(restored.exitCode, restored.stderr).toBe(0);
  expect(everythingIn(stage, stage.folder)).toEqual(before);
});

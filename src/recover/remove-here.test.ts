import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { leftInFlight } from "../../test/support/in-flight.ts";
import { STORY } from "../../test/support/repository.ts";
import { findBase } from "../repo/repository.ts";
import { snapshotStory } from "../repo/rescue/snapshot-story.ts";
import { removeHere, repairWorktree } from "./remove-here.ts";

it("closes the runs that no longer count, and leaves the others alone", async () => {
  const stage = await leftInFlight();
  const { store, env } = stage;
  const repository = await stage.open();
  const place = { store, repository, env, now: Date.now, storyId: STORY };
  const [old] = await store.listRuns(STORY);
  if (old === undefined) throw new Error("no run");
  (await store.startRun(STORY)).close();
  const base = await findBase(repository, undefined);
  const situation = await repairWorktree(place, base);
  const saving = { repository, storyId: STORY, exclude: [], baseCommit: base.commit };
  const saved = await snapshotStory(saving);
  const removed = await removeHere(place, {
    saving,
    situation,
    runs: [old],
    onRemoved: async (last) => (existsSync(stage.folder) ? undefined : (last ?? saved)),
  });
  expect(removed).toMatchObject({ worktree: stage.folder, snapshot: { number: 1 }, left: [] });
  expect(removed.branch).toEqual({ name: `story/${STORY}`, commit: stage.tip });
  expect(existsSync(stage.taskList)).toBe(false);
  const runs = await store.listRuns(STORY);
  expect(runs.map(({ discardedAt }) => discardedAt !== undefined)).toEqual([false, true]);
});

import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anEpic, aStory, aTask } from "../../../test/support/project.ts";
import {
  newRepository,
  prepare,
  STORY,
  type TestRepository,
} from "../../../test/support/repository.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { doneRef } from "../../repo/records/delivery-record.ts";
import type { Run } from "../../story/state/run.ts";
import type { StoryState } from "../../story/state/state.ts";
import { openStore } from "../file-store.ts";
import { layoutOf } from "../project/layout.ts";
import { readHookStory } from "../hook/hook-story.ts";

interface StartedStory extends TestRepository {
  readonly folder: string;
}

async function startedStory(): Promise<StartedStory> {
  const test = newRepository();
  const { folder } = await prepare(test);
  await openStore(test.path).updateStory(STORY, (story) => ({ ...story, status: "in_progress" }));
  return { ...test, folder };
}

const WORKER = { worker: { ...thisProcess(), startTime: "long ago" } };
const AT = new Date().toISOString();

/** Writes the runs one after the other. */
async function leave({ path }: TestRepository, ...runs: Partial<Run>[]): Promise<void> {
  for (const [place, run] of runs.entries()) {
    const store = openStore(path, () => Date.now() - 60_000 + place);
    (await store.startRun(STORY, run)).close();
  }
}

/** The state that lists and hook scripts show. */
async function statesOf({ path, folder }: StartedStory): Promise<Set<StoryState | undefined>> {
  const { state } = await openStore(path).viewStory(STORY);
  const { stories } = await openStore(path).overview();
  const plain = readHookStory(layoutOf(path), { id: STORY, path: folder }, Date.now());
  return new Set([state, stories.get(STORY)?.state, plain?.state]);
}

describe("by its last run, lists and hook scripts show a story as", () => {
  const rows: readonly (readonly [StoryState, string, readonly Partial<Run>[]])[] = [
    ["unfinished", "no run is known", []],
    ["killed", "its worker was killed", [WORKER]],
    ["killed", "its session was ended", [{ ...WORKER, endedAt: AT, outcome: "killed" }]],
    ["stopped", "it was stopped", [{ ...WORKER, endedAt: AT, outcome: "stopped" }]],
    ["limit", "it reached a limit", [{ ...WORKER, endedAt: AT, outcome: "limit" }]],
    ["sent-back", "it was sent back", [{ endedAt: AT, outcome: "sent-back" }]],
    ["failed", "it failed", [{ ...WORKER, endedAt: AT, outcome: "failed" }]],
    ["ready", "it did all there was, and there is more now", [{ endedAt: AT, outcome: "done" }]],
    ["ready", "its question is answered", [{ ...WORKER, endedAt: AT, outcome: "blocked" }]],
    [
      "failed",
      "it failed, and what came after changed nothing",
      [
        { ...WORKER, endedAt: AT, outcome: "failed" },
        { ...WORKER, endedAt: AT, outcome: "stopped", isAside: true },
      ],
    ],
    [
      "failed",
      "it failed, and a record says merged that git knows nothing of",
      [
        { ...WORKER, endedAt: AT, outcome: "failed" },
        { endedAt: AT, outcome: "merged" },
      ],
    ],
  ];

  it.each(rows)("%s when %s", async (state, _, runs) => {
    const test = await startedStory();
    await leave(test, ...runs);
    expect(await statesOf(test)).toEqual(new Set([state]));
  });

  it("completed when it was merged and the clock was set back since", async () => {
    const test = await startedStory();
    await leave(test, { ...WORKER, endedAt: AT, outcome: "done" });
    const ahead = openStore(test.path, () => Date.now() + 13 * 3600_000);
    (await ahead.startRun(STORY, { ...WORKER, endedAt: AT, outcome: "failed" })).close();
    expect(await statesOf(test)).toEqual(new Set(["ready"]));
    (await ahead.startRun(STORY, { endedAt: AT, outcome: "merged" })).close();
    expect(await statesOf(test)).toEqual(new Set(["ready"]));
    test.git("update-ref", doneRef(STORY), "main");
    expect(await statesOf(test)).toEqual(new Set(["completed"]));
  });

  it.each([1, 24 * 60])(
    "completed when it was merged after the clock was set back by %i minutes, then and later",
    async (minutes) => {
      const test = await startedStory();
      await leave(test, { ...WORKER, endedAt: AT, outcome: "done" });
      const behind = openStore(test.path, () => Date.now() - minutes * 60_000);
      (await behind.startRun(STORY, { endedAt: AT, outcome: "merged" })).close();
      test.git("update-ref", doneRef(STORY), "main");
      expect((await behind.viewStory(STORY)).state).toBe("completed");
      expect(await statesOf(test)).toEqual(new Set(["completed"]));
    },
  );

  it("completed when the run says merged and git has the record", async () => {
    const test = await startedStory();
    await leave(test, { endedAt: AT, outcome: "merged" });
    test.git("update-ref", doneRef(STORY), "main");
    expect(await statesOf(test)).toEqual(new Set(["completed"]));
    test.git("pack-refs", "--all");
    expect(await statesOf(test)).toEqual(new Set(["completed"]));
  });
});

it("a story still waits for one that is merged only by a forged record", async () => {
  const test = await startedStory();
  await leave(test, { endedAt: AT, outcome: "merged" });
  const children = [{ id: STORY }, { id: "later", blockedBy: [STORY] }];
  test.write(".saga/epics/e/epic.json", anEpic("e", children));
  test.write(".saga/stories/later/story.json", aStory("later"));
  test.write(".saga/stories/later/t.json", aTask("t"));
  expect((await openStore(test.path).viewStory("later")).state).toBe("waiting");
  const { stories } = await openStore(test.path).overview();
  expect(stories.get("later")?.state).toBe("waiting");
});

it("a story with a branch and no worktree is unfinished even if its last run was done", async () => {
  const test = await startedStory();
  await leave(test, { ...WORKER, endedAt: AT, outcome: "done" });
  rmSync(test.folder, { recursive: true });
  const gone = { state: "unfinished", isWorktreeGone: true };
  expect(await openStore(test.path).viewStory(STORY)).toMatchObject(gone);
  rmSync(join(test.path, ".saga/runs"), { recursive: true });
  expect(await openStore(test.path).viewStory(STORY)).toMatchObject(gone);
  test.git("worktree", "prune");
  test.git("branch", "-D", `story/${STORY}`);
  const fresh = { state: "ready", isWorktreeGone: false };
  expect(await openStore(test.path).viewStory(STORY)).toMatchObject(fresh);
});

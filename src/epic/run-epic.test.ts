import { mkdirSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { endWith, finish, newEpic, runShop } from "../../test/support/epic-run.ts";
import { aStory, aTask } from "../../test/support/project.ts";
import { openStore } from "../store/file-store.ts";
import type { Store } from "../store/store.ts";
import { runEpic } from "./run-epic.ts";

describe("a run of an epic", () => {
  it("reads the stories again only when something changes", async () => {
    const project = newEpic({ a: [], b: ["a"], c: ["b"] });
    const { end, started, logged, reads } = await runShop(project);
    expect(end).toMatchObject({ isDone: true, open: [], waiting: [], hasReachedLimit: false });
    expect(started).toEqual(["a", "b", "c"]);
    expect(reads).toBeLessThan(30);
    expect(logged.filter((line) => line.includes("waiting"))).toEqual([
      "b is waiting: needs a",
      "c is waiting: needs b",
    ]);
  });

  it("reads no other stories", async () => {
    const project = newEpic({ a: [] });
    project.write(".saga/stories/other/story.json", aStory("other"));
    const store = openStore(project.path);
    expect([...(await store.overview(new Set(["a"]))).stories.keys()]).toEqual(["a"]);
  });

  it("starts a story while another is being merged, and says so", async () => {
    const project = newEpic({ a: [], b: [] });
    const { leases } = openStore(project.path);
    const request = { owner: "saga merge a", purpose: "merge", ttlMs: 60_000 } as const;
    const { lease } = await leases.acquire("story.a", request);
    const { end, started, logged } = await runShop(
      project,
      async (store, id) => {
        await finish(store, id);
        await store.setTaskStatus("a", "work", "completed");
        await store.updateStory("a", (story) => ({ ...story, status: "completed" }));
        await lease?.release();
      },
      { parallel: 1, pollMs: 20 },
    );
    expect(end.isDone).toBe(true);
    expect(started).toEqual(["b"]);
    expect(logged).toContain("a is being merged");
    expect(logged).not.toContain("a is running");
  });

  it("does not merge a story again that was given back to its agent while the stories were read", async () => {
    const store = openStore(newEpic({ a: [] }).path);
    const merges: string[] = [];
    let state: "review" | "failed" = "review";
    let endMerge: () => void = () => undefined;
    const mergeEnd = new Promise<void>((resolve) => (endMerge = resolve));
    const slow: Store = {
      ...store,
      async overview(only) {
        const overview = await store.overview(only);
        const shown = state;
        if (merges.length > 0 && shown === "review") {
          state = "failed";
          endMerge();
          await new Promise((resolve) => setImmediate(resolve));
        }
        const stories = [...overview.stories].map(
          ([id, view]) => [id, { ...view, state: shown }] as const,
        );
        return { ...overview, stories: new Map(stories) };
      },
    };
    await runEpic(
      slow,
      { epicId: "shop", parallel: 9, mayMerge: true, mayResume: false, overlap: "watch" },
      {
        start: async () => undefined,
        drain: async () => undefined,
        async merge(id) {
          merges.push(id);
          await mergeEnd;
          return true;
        },
        log: () => undefined,
        stop: new AbortController().signal,
        pollMs: 20,
      },
    );
    expect(merges).toEqual(["a"]);
  });

  it("skips cycles, missing and invalid stories, and reports them at the end", async () => {
    const project = newEpic({
      a: [],
      round: ["trip"],
      trip: ["round"],
      missing: [],
      "after-missing": ["missing"],
      broken: [],
      "broken-task": [],
      "broken-run": [],
    });
    rmSync(`${project.path}/.saga/stories/missing`, { recursive: true });
    project.write(".saga/stories/broken/story.json", "{");
    project.write(
      ".saga/stories/broken-task/work.json",
      aTask("work", { writeFiles: ["broken-task.txt"], checks: "none" }),
    );
    mkdirSync(`${project.path}/.saga/runs/broken-run/20261115T214800123Z-1a2b/run.json`, {
      recursive: true,
    });
    const { end, started } = await runShop(project);
    expect(started).toEqual(["a"]);
    expect(end.isDone).toBe(false);
    expect(Object.fromEntries(end.waiting.map(({ id, why }) => [id, why]))).toEqual({
      round: "depends on itself: round → trip → round",
      trip: "depends on itself: trip → round → trip",
      missing: "does not exist",
      "after-missing": "needs missing (does not exist)",
      broken: "its files are invalid (.saga/stories/broken/story.json:1)",
      "broken-task": expect.stringMatching(
        /^its files are invalid \(\.saga\/stories\/broken-task\/work\.json:\d+\)$/,
      ) as string,
      "broken-run": "its files are invalid (.saga/runs/broken-run)",
    });
  });

  it("logs each reason for waiting once", async () => {
    const project = newEpic({ a: [], b: [], c: ["a"] });
    for (const id of ["a", "b"]) {
      project.write(`.saga/stories/${id}/story.json`, aStory(id, { writeFiles: ["same.txt"] }));
      project.write(`.saga/stories/${id}/work.json`, aTask("work", { writeFiles: ["same.txt"] }));
    }
    const { logged } = await runShop(project, finish, { parallel: 2 });
    expect(logged.filter((line) => line.includes("waiting"))).toEqual([
      "b is waiting: a may write the same files",
      "c is waiting: needs a",
    ]);
    const limited = await runShop(newEpic({ a: [], b: [] }), finish, { parallel: 1 });
    expect(limited.logged).toContain("b is waiting: another story is running");
  });

  it.each([
    ["killed", undefined, "its worker was killed", "its worker was killed"],
    ["at a limit", "limit", "reached a limit", "reached a limit"],
    ["stopped", "stopped", "was stopped", "stopped"],
  ] as const)("does not restart a story that was %s", async (_, outcome, why, left) => {
    const { end, started } = await runShop(newEpic({ a: [], b: ["a"] }), endWith(outcome));
    expect(started).toEqual(["a"]);
    expect(end.waiting).toEqual([
      { id: "a", why: `${why}; continue with \`saga resume a\`` },
      { id: "b", why: `needs a (${left})` },
    ]);
  });

  it("restarts a killed story up to three starts, if it may", async () => {
    const { end, started } = await runShop(newEpic({ a: [] }), endWith(undefined), {
      mayResume: true,
    });
    expect(started).toEqual(["a", "a", "a"]);
    expect(end.waiting).toEqual([{ id: "a", why: "started 3 times without completing" }]);
    const stopped = await runShop(newEpic({ a: [] }), endWith("stopped"), { mayResume: true });
    expect(stopped.started).toEqual(["a"]);
  });

  it("starts a story that was killed before the run", async () => {
    const project = newEpic({ a: [] });
    await endWith(undefined)(openStore(project.path), "a");
    const { end, started } = await runShop(project);
    expect(started).toEqual(["a"]);
    expect(end.isDone).toBe(true);
  });
});

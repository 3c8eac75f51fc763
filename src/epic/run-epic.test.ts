import { mkdirSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { anEpic, aStory, aTask, newProject, type Project } from "../../test/support/project.ts";
import { thisProcess } from "../machine/processes/process-id.ts";
import { openStore } from "../store/file-store.ts";
import type { Store } from "../store/store.ts";
import { runEpic, type EpicRunActions, type EpicRunRequest } from "./run-epic.ts";
import type { EpicEnd } from "./schedule.ts";

/** Longer than a test may take: only a change ends the wait. */
const FOREVER_MS = 600_000;

/** Stories with one task each, by their dependencies. */
function newEpic(graph: Readonly<Record<string, readonly string[]>>): Project {
  const project = newProject();
  const children = Object.entries(graph).map(([id, blockedBy]) => ({ id, blockedBy }));
  project.write(".saga/epics/shop/epic.json", anEpic("shop", children));
  for (const { id } of children) {
    project.write(`.saga/stories/${id}/story.json`, aStory(id, { writeFiles: [`${id}.txt`] }));
    project.write(`.saga/stories/${id}/work.json`, aTask("work", { writeFiles: [`${id}.txt`] }));
  }
  return project;
}

interface EpicRunResult {
  readonly end: EpicEnd;
  readonly started: readonly string[];
  /** The cost limit of each start. */
  readonly limits: readonly (number | undefined)[];
  readonly ended: readonly string[];
  readonly logged: readonly string[];
  readonly reads: number;
}

type Worker = (store: Store, storyId: string) => Promise<void>;

async function run(
  { path }: Project,
  worker: Worker = finish,
  {
    pollMs: lookEveryMs = FOREVER_MS,
    onEnd,
    onNearLimit,
    dayRefusal,
    ...order
  }: Partial<EpicRunRequest> &
    Partial<Pick<EpicRunActions, "pollMs" | "onNearLimit" | "dayRefusal">> & {
      readonly onEnd?: () => void;
    } = {},
): Promise<EpicRunResult> {
  const store = openStore(path);
  const started: string[] = [];
  const limits: (number | undefined)[] = [];
  const ended: string[] = [];
  const logged: string[] = [];
  let reads = 0;
  const counted: Store = {
    ...store,
    overview: (only) => {
      reads++;
      return store.overview(only);
    },
  };
  const workers: Promise<void>[] = [];
  const end = await runEpic(
    counted,
    {
      epicId: "shop",
      parallel: 9,
      mayMerge: false,
      mayResume: false,
      overlap: "watch",
      ...order,
    },
    {
      start: async (id, maxCostUsd) => {
        started.push(id);
        limits.push(maxCostUsd);
        workers.push(worker(store, id));
      },
      drain: async (id) => {
        ended.push(id);
        onEnd?.();
      },
      merge: async () => false,
      ...(onNearLimit && { onNearLimit }),
      ...(dayRefusal && { dayRefusal }),
      log: (sentence) => void logged.push(sentence),
      stop: new AbortController().signal,
      pollMs: lookEveryMs,
    },
  );
  await Promise.all(workers);
  return { end, started, limits, ended, logged, reads };
}

/** Like a worker followed by a merge. */
const finish: Worker = async (store, id) => {
  const { lease } = await store.leases.acquire(`story.${id}`, { owner: "a worker", ttlMs: 60_000 });
  const log = await store.startRun(id, { worker: thisProcess() });
  await store.setTaskStatus(id, "work", "completed");
  await store.updateStory(id, (story) => ({ ...story, status: "completed" }));
  log.update({ endedAt: new Date().toISOString(), outcome: "merged" });
  log.close();
  await lease?.release();
};

/** Like a worker that ends before its work is done. */
const endWith =
  (outcome: "limit" | "stopped" | undefined): Worker =>
  async (store, id) => {
    const log = await store.startRun(id, { worker: { ...thisProcess(), startTime: "long ago" } });
    await store.setTaskStatus(id, "work", "in_progress");
    if (outcome) log.update({ endedAt: new Date().toISOString(), outcome });
    log.close();
  };

describe("a run of an epic", () => {
  it("reads the stories again only when something changes", async () => {
    const project = newEpic({ a: [], b: ["a"], c: ["b"] });
    const { end, started, logged, reads } = await run(project);
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
    const { end, started, logged } = await run(
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
    const { end, started } = await run(project);
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
    const { logged } = await run(project, finish, { parallel: 2 });
    expect(logged.filter((line) => line.includes("waiting"))).toEqual([
      "b is waiting: a may write the same files",
      "c is waiting: needs a",
    ]);
    const limited = await run(newEpic({ a: [], b: [] }), finish, { parallel: 1 });
    expect(limited.logged).toContain("b is waiting: another story is running");
  });

  it.each([
    ["killed", undefined, "its worker was killed", "its worker was killed"],
    ["at a limit", "limit", "reached a limit", "reached a limit"],
    ["stopped", "stopped", "was stopped", "stopped"],
  ] as const)("does not restart a story that was %s", async (_, outcome, why, left) => {
    const { end, started } = await run(newEpic({ a: [], b: ["a"] }), endWith(outcome));
    expect(started).toEqual(["a"]);
    expect(end.waiting).toEqual([
      { id: "a", why: `${why}; continue with \`saga resume a\`` },
      { id: "b", why: `needs a (${left})` },
    ]);
  });

  it("restarts a killed story up to three starts, if it may", async () => {
    const { end, started } = await run(newEpic({ a: [] }), endWith(undefined), { mayResume: true });
    expect(started).toEqual(["a", "a", "a"]);
    expect(end.waiting).toEqual([{ id: "a", why: "started 3 times without completing" }]);
    const stopped = await run(newEpic({ a: [] }), endWith("stopped"), { mayResume: true });
    expect(stopped.started).toEqual(["a"]);
  });

  it("starts a story that was killed before the run", async () => {
    const project = newEpic({ a: [] });
    await endWith(undefined)(openStore(project.path), "a");
    const { end, started } = await run(project);
    expect(started).toEqual(["a"]);
    expect(end.isDone).toBe(true);
  });
});

describe("the cost limit of an epic's run", () => {
  const spend =
    (costUsd: number): Worker =>
    async (store, id) => {
      const log = await store.startRun(id, { worker: thisProcess(), costUsd });
      log.close();
      await finish(store, id);
    };

  it("covers all stories: each may spend the rest, and none starts when it is spent", async () => {
    const project = newEpic({ a: [], b: ["a"], c: ["b"] });
    const { started, limits, end, logged } = await run(project, spend(2), { maxCostUsd: 3 });
    expect(started).toEqual(["a", "b"]);
    expect(limits).toEqual([3, 1]);
    expect(end).toMatchObject({
      isDone: false,
      hasReachedLimit: true,
      cost: { costUsd: 4, maxUsd: 3 },
      waiting: [{ id: "c", why: "the cost limit of this run is reached ($3.00)" }],
    });
    expect(logged).toContain("Cost limit of this run reached: $4.00 of $3.00 spent.");
  });

  it("is told once, when most of it is spent", async () => {
    const near: number[] = [];
    const project = newEpic({ a: [], b: ["a"], c: ["b"] });
    const onNearLimit = (spentUsd: number): void => void near.push(spentUsd);
    const { logged } = await run(project, spend(2.5), { maxCostUsd: 6, onNearLimit });
    expect(near).toEqual([5]);
    expect(logged).toContain("$5.00 of $6.00 spent in this run.");
  });

  it("starts no story while the day's budget allows none", async () => {
    const reasons = ["the budget of this day is spent"];
    const { started, end } = await run(newEpic({ a: [] }), finish, {
      dayRefusal: () => reasons[0],
    });
    expect([started, end.waiting]).toEqual([[], [{ id: "a", why: reasons[0] }]]);
  });

  it("ignores earlier costs of the stories", async () => {
    const project = newEpic({ a: [], b: ["a"] });
    const store = openStore(project.path);
    for (const id of ["a", "b"]) {
      const log = await store.startRun(id, { costUsd: 50, outcome: "stopped" });
      log.update({ endedAt: new Date().toISOString() });
      log.close();
    }
    const { end, limits } = await run(project, spend(1), { maxCostUsd: 3 });
    expect([end.isDone, limits]).toEqual([true, [3, 2]]);
    expect(end.cost).toMatchObject({ costUsd: 2 });
  });

  it("ends running stories that spent it together", async () => {
    const project = newEpic({ a: [], b: [] });
    const store = openStore(project.path);
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const running: Worker = async (_, id) => {
      const { lease } = await store.leases.acquire(`story.${id}`, { owner: "w", ttlMs: 60_000 });
      const log = await store.startRun(id, { worker: thisProcess(), costUsd: 2 });
      await stopped;
      log.update({ endedAt: new Date().toISOString(), outcome: "limit" });
      log.close();
      await lease?.release();
    };
    const { ended, end, limits } = await run(project, running, {
      maxCostUsd: 3,
      pollMs: 20,
      onEnd: () => stop(),
    });
    expect(limits).toEqual([3, 3]);
    expect(new Set(ended)).toEqual(new Set(["a", "b"]));
    expect(end).toMatchObject({ hasReachedLimit: true, cost: { costUsd: 4 } });
  });
});

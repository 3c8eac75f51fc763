import { mkdirSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { anEpic, aStory, aTask, newProject, type Project } from "../../test/support/project.ts";
import { thisProcess } from "../machine/processes/process-id.ts";
import { openStore } from "../store/file-store.ts";
import type { Store } from "../store/store.ts";
import { runEpic, type EpicHands, type EpicOrder } from "./run-epic.ts";
import type { EpicEnd } from "./schedule.ts";

/** Longer than a test may take: only a change ends the waiting. */
const FOR_EVER_MS = 600_000;

/** Stories with one task each, by what comes first. */
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

interface Ran {
  readonly end: EpicEnd;
  readonly started: readonly string[];
  /** What each was allowed to spend. */
  readonly limits: readonly (number | undefined)[];
  readonly ended: readonly string[];
  readonly said: readonly string[];
  readonly looks: number;
}

type Worker = (store: Store, storyId: string) => Promise<void>;

async function run(
  { path }: Project,
  worker: Worker = finish,
  {
    lookEveryMs = FOR_EVER_MS,
    onEnd,
    ...order
  }: Partial<EpicOrder> &
    Partial<Pick<EpicHands, "lookEveryMs">> & { readonly onEnd?: () => void } = {},
): Promise<Ran> {
  const store = openStore(path);
  const started: string[] = [];
  const limits: (number | undefined)[] = [];
  const ended: string[] = [];
  const said: string[] = [];
  let looks = 0;
  const counted: Store = {
    ...store,
    overview: (only) => {
      looks++;
      return store.overview(only);
    },
  };
  const workers: Promise<void>[] = [];
  const end = await runEpic(
    counted,
    { epicId: "shop", parallel: 9, mayMerge: false, mayResume: false, ...order },
    {
      start: async (id, maxCostUsd) => {
        started.push(id);
        limits.push(maxCostUsd);
        workers.push(worker(store, id));
      },
      endAtLimit: async (id) => {
        ended.push(id);
        onEnd?.();
      },
      merge: async () => false,
      say: (sentence) => void said.push(sentence),
      stop: new AbortController().signal,
      lookEveryMs,
    },
  );
  await Promise.all(workers);
  return { end, started, limits, ended, said, looks };
}

/** As a worker does, with a merge right behind it. */
const finish: Worker = async (store, id) => {
  const { lease } = await store.leases.acquire(`story.${id}`, { owner: "a worker", ttlMs: 60_000 });
  const log = await store.startRun(id, { worker: thisProcess() });
  await store.setTaskStatus(id, "work", "completed");
  await store.updateStory(id, (story) => ({ ...story, status: "completed" }));
  log.update({ endedAt: new Date().toISOString(), outcome: "merged" });
  log.close();
  lease?.release();
};

/** As one that is ended in the middle, by what its record says. */
const endWith =
  (outcome: "limit" | "stopped" | undefined): Worker =>
  async (store, id) => {
    const log = await store.startRun(id, { worker: { ...thisProcess(), startTime: "long ago" } });
    await store.setTaskStatus(id, "work", "in_progress");
    if (outcome) log.update({ endedAt: new Date().toISOString(), outcome });
    log.close();
  };

describe("the run of an epic", () => {
  it("goes on when something changes, without looking meanwhile", async () => {
    const project = newEpic({ a: [], b: ["a"], c: ["b"] });
    const { end, started, said, looks } = await run(project);
    expect(end).toMatchObject({ isDone: true, open: [], waiting: [], hasReachedLimit: false });
    expect(started).toEqual(["a", "b", "c"]);
    expect(looks).toBeLessThan(30);
    expect(said.filter((line) => line.includes("waits"))).toEqual([
      "b waits: a comes first",
      "c waits: b comes first",
    ]);
  });

  it("reads no other stories", async () => {
    const project = newEpic({ a: [] });
    project.write(".saga/stories/other/story.json", aStory("other"));
    const store = openStore(project.path);
    expect([...(await store.overview(new Set(["a"]))).stories.keys()]).toEqual(["a"]);
  });

  it("leaves a circle, a missing story and broken ones alone, and names them at the end", async () => {
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
      round: "it waits for itself: round after trip after round",
      trip: "it waits for itself: trip after round after trip",
      missing: "there is no such story",
      "after-missing": "missing comes first, and there is no such story",
      broken: "its files cannot be read (.saga/stories/broken/story.json:1)",
      "broken-task": expect.stringMatching(
        /^its files cannot be read \(\.saga\/stories\/broken-task\/work\.json:\d+\)$/,
      ) as string,
      "broken-run": "its files cannot be read (.saga/runs/broken-run)",
    });
  });

  it("says why each story waits once, and again when that is another reason", async () => {
    const project = newEpic({ a: [], b: [], c: ["a"] });
    for (const id of ["a", "b"]) {
      project.write(`.saga/stories/${id}/story.json`, aStory(id, { writeFiles: ["same.txt"] }));
      project.write(`.saga/stories/${id}/work.json`, aTask("work", { writeFiles: ["same.txt"] }));
    }
    const { said } = await run(project, finish, { parallel: 2 });
    expect(said.filter((line) => line.includes("waits"))).toEqual([
      "b waits: a may write the same files",
      "c waits: a comes first",
    ]);
    const limited = await run(newEpic({ a: [], b: [] }), finish, { parallel: 1 });
    expect(limited.said).toContain("b waits: 1 is at work");
  });

  it.each([
    ["killed", undefined, "its worker is gone", "its worker was killed"],
    ["at a limit", "limit", "it has reached a limit", "reached a limit"],
    ["stopped", "stopped", "it was stopped", "was stopped"],
  ] as const)("does not begin again by itself what was %s", async (_, outcome, why, left) => {
    const { end, started } = await run(newEpic({ a: [], b: ["a"] }), endWith(outcome));
    expect(started).toEqual(["a"]);
    expect(end.waiting).toEqual([
      { id: "a", why: `${why}; \`saga resume a\` goes on with it` },
      { id: "b", why: `a comes first, and ${left}` },
    ]);
  });

  it("begins again what was killed when it may, though not for ever", async () => {
    const { end, started } = await run(newEpic({ a: [] }), endWith(undefined), { mayResume: true });
    expect(started).toEqual(["a", "a", "a"]);
    expect(end.waiting).toEqual([{ id: "a", why: "it was started 3 times, and is not done" }]);
    const stopped = await run(newEpic({ a: [] }), endWith("stopped"), { mayResume: true });
    expect(stopped.started).toEqual(["a"]);
  });

  it("goes on with what was in flight when it was begun", async () => {
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

  it("is for all of its stories together: each may spend what is left, and none is started without", async () => {
    const project = newEpic({ a: [], b: ["a"], c: ["b"] });
    const { started, limits, end, said } = await run(project, spend(2), { maxCostUsd: 3 });
    expect(started).toEqual(["a", "b"]);
    expect(limits).toEqual([3, 1]);
    expect(end).toMatchObject({
      isDone: false,
      hasReachedLimit: true,
      cost: { costUsd: 4, maxUsd: 3 },
      waiting: [{ id: "c", why: "the cost limit of this run is reached ($3.00)" }],
    });
    expect(said).toContain("Cost limit of this run reached: $4.00 of $3.00 spent.");
  });

  it("does not hold what its stories have cost before", async () => {
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

  it("ends those at work when they have spent it together", async () => {
    const project = newEpic({ a: [], b: [] });
    const store = openStore(project.path);
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const atWork: Worker = async (_, id) => {
      const { lease } = await store.leases.acquire(`story.${id}`, { owner: "w", ttlMs: 60_000 });
      const log = await store.startRun(id, { worker: thisProcess(), costUsd: 2 });
      await stopped;
      log.update({ endedAt: new Date().toISOString(), outcome: "limit" });
      log.close();
      lease?.release();
    };
    const { ended, end, limits } = await run(project, atWork, {
      maxCostUsd: 3,
      lookEveryMs: 20,
      onEnd: () => stop(),
    });
    expect(limits).toEqual([3, 3]);
    expect(new Set(ended)).toEqual(new Set(["a", "b"]));
    expect(end).toMatchObject({ hasReachedLimit: true, cost: { costUsd: 4 } });
  });
});

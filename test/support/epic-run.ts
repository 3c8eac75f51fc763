// An epic, and a run of it with workers of the test.

import { thisProcess } from "../../src/machine/processes/process-id.ts";
import { openStore } from "../../src/store/file-store.ts";
import type { Store } from "../../src/store/store.ts";
import { runEpic, type EpicRunActions, type EpicRunRequest } from "../../src/epic/run-epic.ts";
import type { EpicEnd } from "../../src/epic/schedule.ts";
import { anEpic, aStory, aTask, newProject, type Project } from "./project.ts";

/** Longer than a test may take: only a change ends the wait. */
const FOREVER_MS = 600_000;

/** Stories with one task each, by their dependencies. */
export function newEpic(graph: Readonly<Record<string, readonly string[]>>): Project {
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

export type Worker = (store: Store, storyId: string) => Promise<void>;

export async function runShop(
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
export const finish: Worker = async (store, id) => {
  const { lease } = await store.leases.acquire(`story.${id}`, { owner: "a worker", ttlMs: 60_000 });
  const log = await store.startRun(id, { worker: thisProcess() });
  await store.setTaskStatus(id, "work", "completed");
  await store.updateStory(id, (story) => ({ ...story, status: "completed" }));
  log.update({ endedAt: new Date().toISOString(), outcome: "merged" });
  log.close();
  await lease?.release();
};

/** Like a worker that ends before its work is done. */
export const endWith =
  (outcome: "limit" | "stopped" | undefined): Worker =>
  async (store, id) => {
    const log = await store.startRun(id, { worker: { ...thisProcess(), startTime: "long ago" } });
    await store.setTaskStatus(id, "work", "in_progress");
    if (outcome) log.update({ endedAt: new Date().toISOString(), outcome });
    log.close();
  };

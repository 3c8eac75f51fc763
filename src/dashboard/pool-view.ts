// The pool: its daemons and workers, from the files they leave for each other in `.saga/auto`, and the tasks of
// its list. The files are theirs; here they are only looked at, and what makes no sense is passed over.

import { join } from "node:path";
import * as z from "zod";
import { taskListFolder } from "../claude/task-list.ts";
import type { Environment } from "../machine/environment.ts";
import { ifThere, listFolder, listNames, readTextIfThere } from "../machine/files.ts";
import { lifeOf } from "../machine/process.ts";
import { layoutOf } from "../store/layout.ts";
import { openPoolList, type PoolList } from "./pool-list.ts";
import { poolTaskCards } from "./pool-tasks.ts";
import type { PoolCard, PoolDaemon, PoolWorker } from "./protocol.ts";

export interface PoolPlace {
  readonly list: string;
  readonly folder: string;
}

export interface PoolView {
  /** By the name of the list; none when the project has no pool. */
  readonly read: () => ReadonlyMap<string, PoolCard>;
  /** The folders whose changes matter. */
  readonly folders: () => readonly string[];
  /** Worth another look soon: someone is at work, or a file was half written. */
  readonly isLively: () => boolean;
}

const processSchema = z.object({
  pid: z.int().positive(),
  startTime: z.string(),
  bootId: z.string(),
  place: z.string(),
});
const daemonSchema = z.object({
  list: z.string(),
  folder: z.string().optional(),
  process: processSchema,
  startedAt: z.string(),
  state: z.string(),
  problem: z.object({ message: z.string() }).optional(),
});
const workerSchema = z.object({
  worker: z.string(),
  process: processSchema,
  state: z.string(),
  task: z.string().optional(),
  run: z.string().optional(),
  since: z.string().optional(),
  lastToolAt: z.string().optional(),
});

interface Instance {
  readonly list: string;
  readonly folder: string | undefined;
  readonly daemon: PoolDaemon;
  readonly isAlive: boolean;
  readonly workers: readonly PoolWorker[];
  readonly problem: string | undefined;
}

/** The place of the list that the settings name, when they do. */
export function poolPlace(settings: unknown, env: Environment): PoolPlace | undefined {
  const named = z.object({ taskListId: z.string(), tasksRoot: z.string().optional() });
  const { data } = z.object({ auto: named }).safeParse(settings);
  if (data === undefined || !PLAIN_NAME.test(data.auto.taskListId)) return undefined;
  const { taskListId: list, tasksRoot: root } = data.auto;
  if (root === undefined) return { list, folder: taskListFolder(env, list) };
  return { list, folder: join(root.replace(/^~(?=\/)/, env["HOME"] ?? "~"), list) };
}

const PLAIN_NAME = /^[A-Za-z0-9_-]+$/;

export function newPoolView(
  project: string,
  env: Environment,
  settled: () => PoolPlace | undefined,
): PoolView {
  const lists = new Map<string, PoolList>();
  let instances: readonly Instance[] = [];

  /** The one that the settings name, and those that someone is at work on. */
  const places = (): PoolPlace[] => {
    const found = new Map<string, string>();
    for (const { list, folder, isAlive } of instances) {
      if (isAlive && PLAIN_NAME.test(list)) found.set(list, folder ?? taskListFolder(env, list));
    }
    const own = settled();
    if (own) found.set(own.list, own.folder);
    return [...found].map(([list, folder]) => ({ list, folder }));
  };
  const listAt = (folder: string): PoolList => {
    const known = lists.get(folder) ?? openPoolList(folder);
    lists.set(folder, known);
    return known;
  };
  return {
    read() {
      instances = readInstances(join(layoutOf(project).saga, "auto"));
      return new Map(
        places().map(({ list, folder }) => {
          const own = shown(instances.filter((one) => one.list === list));
          return [list, poolCard(list, own, listAt(folder))];
        }),
      );
    },
    folders: () => places().map(({ folder }) => folder),
    isLively: () =>
      instances.some(({ isAlive }) => isAlive) || [...lists.values()].some((one) => one.isTorn()),
  };
}

/** Those that live; else the last one, for why it has ended. */
function shown(instances: readonly Instance[]): readonly Instance[] {
  const alive = instances.filter(({ isAlive }) => isAlive);
  return alive.length > 0 ? alive : instances.slice(-1);
}

function poolCard(list: string, instances: readonly Instance[], tasks: PoolList): PoolCard {
  const workers = instances.flatMap((one) => one.workers);
  const names = new Set(workers.map(({ name }) => name));
  return {
    list,
    daemons: instances.map(({ daemon }) => daemon),
    workers,
    tasks: poolTaskCards(tasks.read(), (owner) => names.has(owner)),
    problems: instances.flatMap(({ problem }) => problem ?? []),
  };
}

/** The oldest first. */
function readInstances(auto: string): Instance[] {
  const names = listFolder(auto).filter(
    (entry) => entry.isDirectory() && /^[0-9a-f]{8}$/.test(entry.name),
  );
  return names
    .flatMap(({ name }) => readInstance(join(auto, name), name) ?? [])
    .toSorted((one, other) => (one.daemon.startedAt < other.daemon.startedAt ? -1 : 1));
}

function readInstance(folder: string, instance: string): Instance | undefined {
  const file = readJson(join(folder, "daemon.json"), daemonSchema);
  if (file === undefined) return undefined;
  const isAlive = file.state !== "ended" && lifeOf(file.process) !== "dead";
  const state = isAlive || file.state === "ended" ? file.state : "died";
  const { pid } = file.process;
  return {
    list: file.list,
    folder: file.folder,
    daemon: { instance, pid, state, startedAt: file.startedAt },
    isAlive,
    workers: readWorkers(folder, instance),
    problem: file.problem?.message,
  };
}

const readWorkers = (folder: string, instance: string): PoolWorker[] =>
  (ifThere(() => listNames(folder)) ?? [])
    .filter((name) => /^auto-\d+\.json$/.test(name))
    .flatMap((name) => {
      const file = readJson(join(folder, name), workerSchema);
      if (file === undefined || lifeOf(file.process) === "dead") return [];
      const { worker, state, task, run, since, lastToolAt } = file;
      return [{ name: worker, instance, state, task, run, since, lastToolAt }];
    });

function readJson<T>(file: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(readTextIfThere(file) ?? "")).data;
  } catch {
    return undefined;
  }
}

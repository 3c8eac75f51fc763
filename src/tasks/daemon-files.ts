// What a daemon of the pool, its workers and whoever looks on know of each other: small files in
// `.saga/auto/<instance>`, each with one writer, each replaced as a whole.
//
//   daemon.json            the daemon: who it is, and that it lives (touched every few seconds)
//   auto-1.order.json      daemon to worker: what to do next
//   auto-1.json            worker to daemon: what it does, and what came of the last order
//   failure.json           why the daemon has ended, when that needs mending
//   set-aside/<run>        what was found in a worker's worktree and no snapshot can hold

import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import {
  diskError,
  ifThere,
  listFolder,
  makeFolder,
  readTextIfThere,
} from "../machine/files/files.ts";
import { parseJson } from "../text/parse-json.ts";
import { livenessOf, startTimeOf, type Liveness } from "../machine/processes/process-id.ts";
import { poolProblemSchema, type PoolProblem } from "./problem.ts";
import { processId } from "../story/state/run.ts";
import { autoFolder, layoutOf } from "../store/project/layout.ts";

const daemonSchema = z.object({
  instance: z.string(),
  /** The name of the list, and where it is. */
  list: z.string(),
  folder: z.string(),
  process: processId,
  startedAt: z.iso.datetime(),
  session: z.string().optional(),
  state: z.enum(["running", "draining", "ended"]),
  workers: z.array(z.string()),
  problem: poolProblemSchema.optional(),
});
export type DaemonFile = z.output<typeof daemonSchema>;

const orderSchema = z.union([
  z.object({
    number: z.int(),
    taskId: z.string(),
    /** Of the tasks that others are at work on, for whoever wonders why this one. */
    otherLabels: z.array(z.string()).default([]),
  }),
  z.object({ number: z.int(), end: z.literal(true) }),
]);
export type WorkerRequest = z.output<typeof orderSchema>;

/** What came of an order. */
const RESULT_KINDS = [
  /** Merged, or nothing had to be changed. */
  "completed",
  /** Back on the list, with one attempt more. */
  "failed",
  /** On hold until a person has looked at it. */
  "held",
  /** Back on the list as it was. */
  "returned",
  /** It was not to be had. */
  "not-taken",
  /** Someone else has it now. */
  "lost",
] as const;

const resultSchema = z.object({
  number: z.int(),
  taskId: z.string(),
  subject: z.string().optional(),
  kind: z.enum(RESULT_KINDS),
  reason: z.string(),
  commit: z.string().optional(),
  /** What else was found, as the end of a sentence. */
  aside: z.string().optional(),
  problem: poolProblemSchema.optional(),
});
export type RequestResult = z.output<typeof resultSchema>;

const WORKER_STATES = ["starting", "idle", "working", "accepting", "waiting", "ended"] as const;

const workerSchema = z.object({
  worker: z.string(),
  process: processId,
  session: z.string().optional(),
  state: z.enum(WORKER_STATES),
  task: z.string().optional(),
  subject: z.string().optional(),
  run: z.string().optional(),
  since: z.iso.datetime(),
  lastToolAt: z.iso.datetime().optional(),
  result: resultSchema.optional(),
});
export type WorkerFile = z.output<typeof workerSchema>;

export const workerName = (slot: number): string => `auto-${slot}`;

/** The name is given to nobody else: without a claim, whoever has it lost that with the power. */
export const isWorkerName = (owner: string): boolean => /^auto-\d+$/.test(owner);

export const instanceFolder = (project: string, instance: string): string =>
  join(autoFolder(layoutOf(project)), instance);

export function makeInstanceFolder(project: string, instance: string): string {
  const folder = instanceFolder(project, instance);
  makeFolder(folder, { isDurable: false });
  // A project that was set up before there was a pool does not ignore it yet.
  write(join(autoFolder(layoutOf(project)), ".gitignore"), "*\n");
  return folder;
}

export const writeDaemon = (folder: string, daemon: DaemonFile): void =>
  writeJson(join(folder, "daemon.json"), daemon);

export const readDaemon = (folder: string): DaemonFile | undefined =>
  readJson(join(folder, "daemon.json"), daemonSchema);

/** A sign of life. */
export const touchDaemon = (folder: string, nowMs: number): void =>
  ifThere(() => utimesSync(join(folder, "daemon.json"), nowMs / 1000, nowMs / 1000));

export const writeRequest = (folder: string, worker: string, order: WorkerRequest): void =>
  writeJson(join(folder, `${worker}.order.json`), order);

export const readRequest = (folder: string, worker: string): WorkerRequest | undefined =>
  readJson(join(folder, `${worker}.order.json`), orderSchema);

export const writeWorker = (folder: string, file: WorkerFile): void =>
  writeJson(join(folder, `${file.worker}.json`), file);

export const readWorker = (folder: string, worker: string): WorkerFile | undefined =>
  readJson(join(folder, `${worker}.json`), workerSchema);

const failureFile = (folder: string): string => join(folder, "failure.json");

export const writeFailure = (folder: string, problem: PoolProblem): void =>
  writeJson(failureFile(folder), problem);

export const readFailure = (folder: string): PoolProblem | undefined =>
  readJson(failureFile(folder), poolProblemSchema);

/** A daemon as others see it. */
export interface DaemonView {
  readonly folder: string;
  readonly daemon: DaemonFile;
  readonly life: Liveness;
  readonly workers: readonly (WorkerFile & { readonly life: Liveness })[];
}

/**
 * All that have left a trace in this project, the oldest first. Whoever looks on passes over what cannot be
 * read: one old file must not hide the others.
 */
export function readDaemons(project: string): DaemonView[] {
  return instancesIn(project)
    .flatMap((folder) => {
      const daemon = ifReadable(() => readDaemon(folder));
      if (daemon === undefined) return [];
      const workers = daemon.workers.flatMap((name) => {
        const worker = ifReadable(() => readWorker(folder, name));
        return worker === undefined ? [] : [{ ...worker, life: livenessOf(worker.process) }];
      });
      return [{ folder, daemon, life: livenessOf(daemon.process), workers }];
    })
    .toSorted((one, other) => (one.daemon.startedAt < other.daemon.startedAt ? -1 : 1));
}

function ifReadable<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export const isRunning = ({ daemon, life }: DaemonView): boolean =>
  life !== "dead" && daemon.state !== "ended";

/** Long enough for whoever wants to know why it ended. */
const FORGET_AFTER_MS = 7 * 24 * 3600_000;

export function forgetOldDaemons(project: string, nowMs: number): void {
  for (const seen of readDaemons(project)) {
    const isOver = !isRunning(seen) && seen.workers.every(({ life }) => life === "dead");
    const touchedMs = ifThere(() => statSync(join(seen.folder, "daemon.json")).mtimeMs) ?? nowMs;
    if (isOver && nowMs - touchedMs > FORGET_AFTER_MS && !isFilled(setAsideFolder(seen.folder))) {
      rmSync(seen.folder, { recursive: true, force: true });
    }
  }
}

/** What a kill has left half written: the process that its name tells of is gone. */
export function halfWritten(project: string): string[] {
  const folders = [autoFolder(layoutOf(project)), ...instancesIn(project)];
  return folders.flatMap((folder) =>
    listFolder(folder).flatMap(({ name }) => {
      const pid = /\.(?<pid>\d+)\.tmp$/.exec(name)?.groups?.["pid"];
      return pid === undefined || startTimeOf(Number(pid)) ? [] : [join(folder, name)];
    }),
  );
}

/** A daemon that was killed before its first file was whole has left nothing but that. */
export function removeHalfWritten(files: readonly string[]): void {
  for (const file of files) {
    rmSync(file, { force: true });
    if (listFolder(dirname(file)).length === 0) rmSync(dirname(file), { recursive: true });
  }
}

/** Below the folder of a daemon. */
export const setAsideFolder = (folder: string): string => join(folder, "set-aside");

/** Those that hold something. It is nowhere else: only a person may remove it. */
export const filledSetAsides = (project: string): string[] =>
  instancesIn(project).map(setAsideFolder).filter(isFilled);

const isFilled = (folder: string): boolean => listFolder(folder).length > 0;

const instancesIn = (project: string): string[] =>
  listFolder(autoFolder(layoutOf(project)))
    .filter((entry) => entry.isDirectory() && /^[0-9a-f]{8}$/.test(entry.name))
    .map(({ name }) => instanceFolder(project, name));

/** Who is at work on which task, from the workers' own words; the dead have none in hand. */
export const activeTasks = (seen: readonly DaemonView[]): Record<string, string> =>
  Object.fromEntries(atWork(seen).map(({ worker, task }) => [worker, task]));

/** The same for one list, by task, and since when. */
export const tasksInHand = (
  seen: readonly DaemonView[],
): Map<string, { readonly worker: string; readonly sinceMs: number }> =>
  new Map(
    atWork(seen).map(({ worker, task, since }) => [task, { worker, sinceMs: Date.parse(since) }]),
  );

const atWork = (seen: readonly DaemonView[]) =>
  seen.flatMap(({ workers }) =>
    workers.flatMap(({ worker, task, since, life }) =>
      task === undefined || life === "dead" ? [] : [{ worker, task, since }],
    ),
  );

const writeJson = (file: string, value: unknown): void =>
  write(file, `${JSON.stringify(value, undefined, 2)}\n`);

/** Whole or not at all. None of it has to survive the machine: the processes do not either. */
function write(file: string, text: string): void {
  const aside = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(aside, text);
    renameSync(aside, file);
  } catch (error) {
    rmSync(aside, { force: true });
    throw diskError(error, file);
  }
}

/** Nothing when it is not there, or makes no sense. */
function readJson<T>(file: string, schema: z.ZodType<T>): T | undefined {
  const text = readTextIfThere(file);
  return text === undefined ? undefined : schema.safeParse(parseJson(text)).data;
}

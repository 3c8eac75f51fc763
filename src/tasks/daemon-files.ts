// Files through which the pool's daemon, its workers and status commands communicate, in `.saga/auto/<instance>`. Each
// has one writer and is replaced as a whole.
//
//   daemon.json            the daemon: its identity and heartbeat (touched every few seconds)
//   auto-1.order.json      daemon to worker: the next request
//   auto-1.json            worker to daemon: its state, and the result of the last request
//   failure.json           why the daemon ended, if that needs a fix
//   set-aside/<run>        files found in a worker's worktree that no snapshot can hold

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
  /** The name of the list, and its folder. */
  list: z.string(),
  folder: z.string(),
  process: processId,
  startedAt: z.iso.datetime(),
  session: z.string().optional(),
  state: z.enum(["running", "draining", "ended"]),
  workers: z.array(z.string()),
  problem: poolProblemSchema.optional(),
  /** Why it starts no task for now, as a sentence. */
  pause: z.string().optional(),
});
export type DaemonFile = z.output<typeof daemonSchema>;

const orderSchema = z.union([
  z.object({
    number: z.int(),
    taskId: z.string(),
    /** The labels that other workers are busy with: the reason why this task was chosen. */
    otherLabels: z.array(z.string()).default([]),
  }),
  z.object({ number: z.int(), end: z.literal(true) }),
]);
export type WorkerRequest = z.output<typeof orderSchema>;

/** The result of a request. */
const RESULT_KINDS = [
  /** Merged, or no change was needed. */
  "completed",
  /** Back on the list, with one attempt more. */
  "failed",
  /** Held for a person. */
  "held",
  /** Back on the list as it was. */
  "returned",
  /** It could not be claimed. */
  "not-taken",
  /** Another worker has taken it over. */
  "lost",
] as const;

const resultSchema = z.object({
  number: z.int(),
  taskId: z.string(),
  subject: z.string().optional(),
  kind: z.enum(RESULT_KINDS),
  reason: z.string(),
  commit: z.string().optional(),
  /** A remark on what else was found, as the end of a sentence. */
  remark: z.string().optional(),
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

/** Only pool workers have such names: a task with this owner and without a claim lost it in a power cut. */
export const isWorkerName = (owner: string): boolean => /^auto-\d+$/.test(owner);

export const instanceFolder = (project: string, instance: string): string =>
  join(autoFolder(layoutOf(project)), instance);

export function makeInstanceFolder(project: string, instance: string): string {
  const folder = instanceFolder(project, instance);
  makeFolder(folder, { isDurable: false });
  // The project's own .gitignore may be older than the pool.
  write(join(autoFolder(layoutOf(project)), ".gitignore"), "*\n");
  return folder;
}

export const writeDaemon = (folder: string, daemon: DaemonFile): void =>
  writeJson(join(folder, "daemon.json"), daemon);

export const readDaemon = (folder: string): DaemonFile | undefined =>
  readJson(join(folder, "daemon.json"), daemonSchema);

/** A heartbeat. */
export const touchDaemon = (folder: string, nowMs: number): void =>
  ifThere(() => utimesSync(join(folder, "daemon.json"), nowMs / 1000, nowMs / 1000));

export const writeRequest = (folder: string, worker: string, request: WorkerRequest): void =>
  writeJson(join(folder, `${worker}.order.json`), request);

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
 * All daemons with files in this project, oldest first. Skips unreadable files: one must not hide the others.
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

/** Long enough for a person to find out why it ended. */
const DELETE_AFTER_MS = 7 * 24 * 3600_000;

export function forgetOldDaemons(project: string, nowMs: number): void {
  for (const view of readDaemons(project)) {
    const hasEnded = !isRunning(view) && view.workers.every(({ life }) => life === "dead");
    const touchedMs = ifThere(() => statSync(join(view.folder, "daemon.json")).mtimeMs) ?? nowMs;
    const isOld = nowMs - touchedMs > DELETE_AFTER_MS;
    if (hasEnded && isOld && !isFilled(setAsideFolder(view.folder))) {
      rmSync(view.folder, { recursive: true, force: true });
    }
  }
}

/** Temporary files of killed processes: the pid in the name no longer exists. */
export function halfWritten(project: string): string[] {
  const folders = [autoFolder(layoutOf(project)), ...instancesIn(project)];
  return folders.flatMap((folder) =>
    listFolder(folder).flatMap(({ name }) => {
      const pid = /\.(?<pid>\d+)\.tmp$/.exec(name)?.groups?.["pid"];
      return pid === undefined || startTimeOf(Number(pid)) ? [] : [join(folder, name)];
    }),
  );
}

/** Also removes the folder of a daemon that was killed before it wrote its first file. */
export function removeHalfWritten(files: readonly string[]): void {
  for (const file of files) {
    rmSync(file, { force: true });
    if (listFolder(dirname(file)).length === 0) rmSync(dirname(file), { recursive: true });
  }
}

/** Below the folder of a daemon. */
export const setAsideFolder = (folder: string): string => join(folder, "set-aside");

/** The set-aside folders with files. These exist nowhere else: only a person may delete them. */
export const filledSetAsides = (project: string): string[] =>
  instancesIn(project).map(setAsideFolder).filter(isFilled);

const isFilled = (folder: string): boolean => listFolder(folder).length > 0;

const instancesIn = (project: string): string[] =>
  listFolder(autoFolder(layoutOf(project)))
    .filter((entry) => entry.isDirectory() && /^[0-9a-f]{8}$/.test(entry.name))
    .map(({ name }) => instanceFolder(project, name));

/** The task of each living worker, from the worker's file. */
export const activeTasks = (daemons: readonly DaemonView[]): Record<string, string> =>
  Object.fromEntries(busyWorkers(daemons).map(({ worker, task }) => [worker, task]));

/** The same by task, with its start. */
export const tasksInHand = (
  daemons: readonly DaemonView[],
): Map<string, { readonly worker: string; readonly sinceMs: number }> =>
  new Map(
    busyWorkers(daemons).map(({ worker, task, since }) => [
      task,
      { worker, sinceMs: Date.parse(since) },
    ]),
  );

const busyWorkers = (daemons: readonly DaemonView[]) =>
  daemons.flatMap(({ workers }) =>
    workers.flatMap(({ worker, task, since, life }) =>
      task === undefined || life === "dead" ? [] : [{ worker, task, since }],
    ),
  );

const writeJson = (file: string, value: unknown): void =>
  write(file, `${JSON.stringify(value, undefined, 2)}\n`);

/** Atomic, without fsync: after a power cut the processes are gone too. */
function write(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw diskError(error, file);
  }
}

/** Undefined when the file is missing or invalid. */
function readJson<T>(file: string, schema: z.ZodType<T>): T | undefined {
  const text = readTextIfThere(file);
  return text === undefined ? undefined : schema.safeParse(parseJson(text)).data;
}

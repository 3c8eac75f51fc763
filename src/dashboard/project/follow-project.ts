// Keeps the cards up to date. Changes on disk are debounced, read once each, and the cards that differ are sent.
// A slow sweep in the background reads everything again, for changes that the system did not report.

import type { Context } from "../../context.ts";
import type { FleetCard } from "../protocol/fleet.ts";
import { messageOf, type Problem, SagaError } from "../../errors.ts";
import { debounceChanges } from "./debounce.ts";
import { newLiveEntities, type LiveEntities } from "./entities.ts";
import { newProjectCache, type ProjectCache } from "./cache.ts";
import { newMergedEpics } from "./merged-epics.ts";
import { newReader, type Reader } from "./reader.ts";
import { newReceiptsCache, type ReceiptsCache } from "./receipts-cache.ts";
import type { ProjectChange } from "../../store/views/project-change.ts";
import { laneOfName } from "../../story/landing/entry.ts";
import { watchLists, watchProject } from "./watch-project.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { findBase, findRepository } from "../../repo/repository.ts";
import type { Store } from "../../store/store.ts";

export interface FollowedProject {
  readonly folder: string;
  readonly entities: LiveEntities;
  readonly cache: ProjectCache;
  readonly receipts: ReceiptsCache;
  /** Calls the listener when a log may have grown. Returns how to leave. */
  readonly onLog: (listener: LogListener) => () => void;
  /** Calls the listener when the check of a lane may have printed something. Returns how to leave. */
  readonly onOutput: (listener: OutputListener) => () => void;
  /** The file with the output of a lane's check. Undefined for an unknown lane. */
  readonly outputFile: (lane: string) => string | undefined;
  /** Resolves when the last read has ended. */
  readonly close: () => Promise<void>;
}

type LogListener = (story: string, run: string) => void;
type OutputListener = (lane: string) => void;

export interface FollowOptions extends Pick<Context, "store" | "env" | "now"> {
  /** The fleet of the project, from its database. Undefined if it is in none. */
  readonly readFleet?: (() => Promise<FleetCard | undefined>) | undefined;
  /** For errors that no card shows. */
  readonly onError: (message: string) => void;
}

const MACHINE_MS = 2_000;
/** Its machines report every few seconds. */
const FLEET_MS = 2_000;
const SWEEP_STEP_MS = 1_000;
/** For epics merged elsewhere: a fetch changes refs, but no file of the project. */
const MERGED_MS = 30_000;
/** One sweep takes about this many steps, unless a step would exceed MAX_STEP_STORIES. */
const SWEEP_STEPS = 30;
/** At this rate a sweep over a thousand stories takes a minute and a half. */
const MAX_STEP_STORIES = 12;

export async function followProject(options: FollowOptions): Promise<FollowedProject> {
  const { store } = options;
  const entities = newLiveEntities();
  const cache = newProjectCache(store);
  const receipts = newReceiptsCache(store.project, options);
  const reader = newReader({ ...options, cache, receipts, entities });
  const { enqueue, end } = newQueue(entities, options.onError);
  const listeners = new Set<LogListener>();
  const outputListeners = new Set<OutputListener>();
  // Outside the queue: git may have to ask the remote for its default branch, and nothing should wait for that.
  const findTarget = (): void => {
    void readTarget(store, options.env).then(
      (branch) => enqueue(async () => reader.showTarget(branch)),
      (error: unknown) => options.onError(messageOf(error)),
    );
    void reader.readPlace().then(() => enqueue(reader.showLanes));
  };
  const mergedEpics = newMergedEpics(options, entities, () => void enqueue(reader.showEpics));
  const debouncer = debounceChanges({
    onChanges: (changes) => {
      if (changes.some(({ kind }) => kind === "settings")) findTarget();
      // A pull brings an epic's file together with its commits.
      const hasEpics = changes.some(({ kind }) => kind === "epics");
      const reading = enqueue(() => reader.readChanges(changes));
      return hasEpics ? reading.then(mergedEpics.check) : reading;
    },
    onActions: (logs) => enqueue(async () => reader.readActions(logs)),
    onLogs: (logs) => {
      for (const { story, run } of logs) for (const listener of listeners) listener(story, run);
    },
    onOutputs: (outputs) => {
      for (const { lane } of outputs) for (const listener of outputListeners) listener(lane);
    },
  });
  // Outside the queue: a database may take long to answer.
  let isReadingFleet = false;
  const readFleet = async (): Promise<void> => {
    if (isReadingFleet || options.readFleet === undefined) return;
    isReadingFleet = true;
    try {
      const card = await options.readFleet();
      await enqueue(async () => entities.put("fleet", "fleet", card ?? null));
    } catch (error) {
      options.onError(messageOf(error));
    } finally {
      isReadingFleet = false;
    }
  };
  // Watch first, then read: a change in between is reported and read again.
  const watch = watchProject(store.project, {
    onChange: debouncer.add,
    onError: (message) =>
      cache.noteProblems({ kind: "watch" }, [notWatched(store.project, message)]),
  });
  await enqueue(reader.readAll);
  const lists = watchLists(reader.pool, debouncer.add);
  const sweepStep = newSweep(cache, reader, () => {
    // Folders that still cannot be watched report it again.
    cache.noteProblems({ kind: "watch" }, []);
    watch.check();
    lists.check();
  });
  const ends = [
    every(MACHINE_MS, () => enqueue(reader.readMachine)),
    every(SWEEP_STEP_MS, () => enqueue(sweepStep)),
    every(FLEET_MS, readFleet),
    every(MERGED_MS, async () => mergedEpics.check()),
  ];
  void enqueue(reader.readMachine);
  void readFleet();
  findTarget();
  mergedEpics.check();

  return {
    folder: store.project,
    entities,
    cache,
    receipts,
    onLog(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onOutput(listener) {
      outputListeners.add(listener);
      return () => void outputListeners.delete(listener);
    },
    outputFile(lane) {
      const known = entities.get("lanes", lane) && laneOfName(lane);
      return known && store.queue.outputFile(known);
    },
    async close() {
      watch.close();
      lists.close();
      debouncer.close();
      for (const stop of ends) stop();
      await mergedEpics.end();
      await end();
    },
  };
}

/** Runs one read at a time: two at once could publish an older state last. */
function newQueue(entities: LiveEntities, onError: (message: string) => void) {
  let last = Promise.resolve();
  let isClosed = false;
  let lastError = "";
  const report = (error: unknown): void => {
    // A lasting error recurs with every sweep: report it once.
    if (messageOf(error) !== lastError) onError(messageOf(error));
    lastError = messageOf(error);
  };
  const attempt = async (act: () => Promise<void> | void): Promise<void> => {
    try {
      await act();
    } catch (error) {
      report(error);
    }
  };
  // An error is reported and does not stop the reads behind it.
  const enqueue = (read: () => Promise<void>): Promise<void> => {
    last = last.then(async () => {
      if (isClosed) return;
      await attempt(read);
      await attempt(entities.flush);
    });
    return last;
  };
  const end = (): Promise<void> => {
    isClosed = true;
    return last;
  };
  return { enqueue, end };
}

/** Returns a step that reads a few stories, and at the start of each sweep everything else. */
function newSweep(cache: ProjectCache, reader: Reader, checkWatches: () => void) {
  let remaining: string[] = [];
  let stepSize = 1;
  return async (): Promise<void> => {
    const changes: ProjectChange[] = [];
    if (remaining.length === 0) {
      checkWatches();
      changes.push({ kind: "names" }, { kind: "epics" }, { kind: "legacy" }, { kind: "pool" });
      changes.push({ kind: "lanes" }, { kind: "conflicts" });
      remaining = [...cache.storyIds()];
      stepSize = Math.min(MAX_STEP_STORIES, Math.ceil(remaining.length / SWEEP_STEPS));
    }
    for (const id of remaining.splice(0, stepSize)) {
      changes.push({ kind: "story", id }, { kind: "runs", story: id });
    }
    await reader.readChanges(changes);
  };
}

/** A slow machine rests this many times as long as the last call took, up to the limit. */
const REST_FACTOR = 10;
const MAX_REST_MS = 10_000;

function every(ms: number, act: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const next = (afterMs: number): void => {
    if (!isStopped) timer = setTimeout(() => void actOnce(), afterMs);
  };
  const actOnce = async (): Promise<void> => {
    const startedAt = performance.now();
    await act();
    const rest = Math.min(REST_FACTOR * (performance.now() - startedAt), MAX_REST_MS);
    next(Math.max(ms, rest));
  };
  next(ms);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

const notWatched = (file: string, message: string): Problem => ({
  file,
  severity: "warning",
  message,
  fix: "Changes appear with a delay.",
});

/** The branch that stories start from and are merged into. Undefined if unclear: `saga run` says why. */
async function readTarget(store: Store, env: Environment): Promise<string | undefined> {
  try {
    const { git } = await store.settings();
    return (await findBase(await findRepository(store.project, env), git.base)).target;
  } catch (error) {
    if (error instanceof SagaError) return undefined;
    throw error;
  }
}

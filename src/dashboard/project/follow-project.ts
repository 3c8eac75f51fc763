// Keeps what is on show true. A change on the disk names its subject; subjects are gathered for a moment, read
// once each, and what is different is told. Behind it a slow round looks at everything again, for what the
// system did not tell.

import type { Context } from "../../context.ts";
import { messageOf, type Problem } from "../../errors.ts";
import { newGathering } from "./debounce.ts";
import { newLive, type LiveEntities } from "./entities.ts";
import { newMemory, WATCH, type Memory } from "./cache.ts";
import { newMergedEpics } from "./merged-epics.ts";
import { newReader, type Reader } from "./reader.ts";
import type { Subject } from "./change.ts";
import { readTarget } from "../views/target.ts";
import { watchLists, watchProject } from "./watch-project.ts";

export interface FollowedProject {
  readonly folder: string;
  readonly live: LiveEntities;
  readonly memory: Memory;
  /** Calls back when a log may have grown; answers with how to leave. */
  readonly onLog: (listener: LogListener) => () => void;
  /** When nothing is read any more. */
  readonly close: () => Promise<void>;
}

type LogListener = (story: string, run: string) => void;

export interface Following extends Pick<Context, "store" | "env" | "now"> {
  /** What nobody should miss, and no card shows. */
  readonly onFault: (sentence: string) => void;
}

const MACHINE_MS = 2_000;
const ROUND_MS = 1_000;
/** What git alone knows: a fetch changes no file of the project. */
const MERGED_MS = 30_000;
/** Steps of the slow round, where there are as many stories. */
const ROUND_STEPS = 30;
/** Stories for a step, at most: a thousand take a minute and a half. */
const STEP_STORIES = 12;

export async function followProject(following: Following): Promise<FollowedProject> {
  const { store } = following;
  const live = newLive();
  const memory = newMemory(store);
  const reader = newReader({ ...following, memory, live });
  const { inTurn, end } = newTurns(live, following.onFault);
  const listeners = new Set<LogListener>();
  // Out of turn: git may have to ask the remote which branch it means, and nothing else waits for that.
  const findTarget = (): void =>
    void readTarget(store, following.env).then(
      (branch) => inTurn(async () => reader.showTarget(branch)),
      (error: unknown) => following.onFault(messageOf(error)),
    );
  const mergedEpics = newMergedEpics(following, live, () => void inTurn(reader.showEpics));
  const gathering = newGathering({
    onSubjects: (subjects) => {
      if (subjects.some(({ kind }) => kind === "settings")) findTarget();
      // A pull brings an epic's file along with its commits.
      const hasEpics = subjects.some(({ kind }) => kind === "epics");
      const reading = inTurn(() => reader.readSubjects(subjects));
      return hasEpics ? reading.then(mergedEpics.look) : reading;
    },
    onActions: (logs) => inTurn(async () => reader.readActions(logs)),
    onLogs: (logs) => {
      for (const { story, run } of logs) for (const listener of listeners) listener(story, run);
    },
  });
  // First the watch, then the reading: what changes in between is told, and read again.
  const watch = watchProject(store.project, {
    onSubject: gathering.add,
    onFault: (sentence) => memory.problems.set(WATCH, [notWatched(store.project, sentence)]),
  });
  await inTurn(reader.readAll);
  const lists = watchLists(reader.pool, gathering.add);
  const round = newRound(memory, reader, () => {
    // What still cannot be watched says so again.
    memory.problems.delete(WATCH);
    watch.check();
    lists.check();
  });
  const ends = [
    every(MACHINE_MS, () => inTurn(reader.readMachine)),
    every(ROUND_MS, () => inTurn(round)),
    every(MERGED_MS, async () => mergedEpics.look()),
  ];
  void inTurn(reader.readMachine);
  findTarget();
  mergedEpics.look();

  return {
    folder: store.project,
    live,
    memory,
    onLog(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      watch.close();
      lists.close();
      gathering.close();
      for (const stop of ends) stop();
      await mergedEpics.end();
      await end();
    },
  };
}

/** One after the other: two readings at once could be put on show in the wrong order. */
function newTurns(live: LiveEntities, onFault: (sentence: string) => void) {
  let turn = Promise.resolve();
  let isOver = false;
  let lastFault = "";
  const fail = (error: unknown): void => {
    // What is wrong for long is looked at again and again, and said once.
    if (messageOf(error) !== lastFault) onFault(messageOf(error));
    lastFault = messageOf(error);
  };
  const attempt = async (act: () => Promise<void> | void): Promise<void> => {
    try {
      await act();
    } catch (error) {
      fail(error);
    }
  };
  // What fails is said, and takes no turn from those behind it.
  const inTurn = (act: () => Promise<void>): Promise<void> => {
    turn = turn.then(async () => {
      if (isOver) return;
      await attempt(act);
      await attempt(live.tell);
    });
    return turn;
  };
  const end = (): Promise<void> => {
    isOver = true;
    return turn;
  };
  return { inTurn, end };
}

/** A few stories each time, and once for each round whatever is not a story. */
function newRound(memory: Memory, reader: Reader, checkWatches: () => void) {
  let left: string[] = [];
  let step = 1;
  return async (): Promise<void> => {
    const subjects: Subject[] = [];
    if (left.length === 0) {
      checkWatches();
      subjects.push({ kind: "names" }, { kind: "epics" }, { kind: "legacy" }, { kind: "pool" });
      left = [...memory.storyIds()];
      step = Math.min(STEP_STORIES, Math.ceil(left.length / ROUND_STEPS));
    }
    for (const id of left.splice(0, step)) {
      subjects.push({ kind: "story", id }, { kind: "runs", story: id });
    }
    await reader.readSubjects(subjects);
  };
}

/** A machine that is slow with it is given so many times as long until it is asked again, up to a limit. */
const REST = 10;
const LONGEST_REST_MS = 10_000;

function every(ms: number, act: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const next = (afterMs: number): void => {
    if (!isStopped) timer = setTimeout(() => void actOnce(), afterMs);
  };
  const actOnce = async (): Promise<void> => {
    const began = performance.now();
    await act();
    const rest = Math.min(REST * (performance.now() - began), LONGEST_REST_MS);
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
  fix: "Changes there appear with a delay.",
});

// Watches a task list, and reads of it only what has changed. The system tells of changes at once, but
// may lose some; so a slow look at all names and times stands behind it.

import { readdirSync, statSync } from "node:fs";
import { readTaskFile, taskFileName, taskIdOf } from "../claude/task-file.ts";
import { ifThere } from "../machine/files.ts";
import { newListWatch } from "./list-watch.ts";
import type { PoolProblem } from "./pool-problem.ts";
import { poolTaskOf, type PoolTask } from "./pool-task.ts";

export interface ListObserver {
  /** Compares everything with what is known. What is new has been reported when this ends. */
  readonly lookAtAll: () => Promise<void>;
  /** Reads these, changed or not, and reports them. */
  readonly lookAt: (ids: Iterable<string>) => Promise<void>;
  readonly close: () => void;
}

export interface ObserveOptions {
  readonly pollMs: number;
  readonly onChange: (changes: readonly ListChange[]) => void;
  /** The list as a whole cannot be read or watched. It is tried again with each poll. */
  readonly onFault: (error: unknown) => void;
}

/** As the board takes it: a task, what is wrong with its file, or nothing when it is gone. */
export interface ListChange {
  readonly id: string;
  readonly entry: PoolTask | PoolProblem | undefined;
}

/**
 * Claude takes a deleted task out of others' `blockedBy` only after its file is gone. Reported at once,
 * that would be a dependency on nothing.
 */
const GONE_FOR_GOOD_MS = 500;
/** As long as nobody tells of changes: no folder yet, or too many watchers on this machine. */
const UNWATCHED_POLL_MS = 1_000;

/** A file as it was when it was read. */
interface Known {
  readonly mark: string;
  /** Kept from the first time: a file that is replaced looks new. */
  readonly createdAtMs: number;
}

/** Everything that is there has been reported when this ends. */
export async function observeList(
  list: string,
  { pollMs, onChange, onFault }: ObserveOptions,
): Promise<ListObserver> {
  const known = new Map<string, Known>();
  const named = new Set<string>();
  const leaving = new Map<string, { readonly timer: NodeJS.Timeout; isOver: boolean }>();
  let pollTimer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let turn: Promise<void> = Promise.resolve();

  /** One after the other: what is read first is reported first. */
  const inTurn = (act: () => Promise<void>): Promise<void> => {
    const mine = turn.then(() => (isClosed ? undefined : act()));
    turn = mine.catch(() => undefined);
    return mine;
  };

  const read = async (ids: Iterable<string>): Promise<void> => {
    // Together, so that one that is half written holds up none of the others.
    const changes = await Promise.all([...ids].map(readOne));
    const news = changes.filter((change) => change !== undefined);
    if (news.length > 0 && !isClosed) onChange(news);
  };

  const readOne = async (id: string): Promise<ListChange | undefined> => {
    // Before it is read: what is written in between is seen as a change afterwards.
    const seen = seeFile(list, id);
    const createdAtMs = known.get(id)?.createdAtMs ?? seen?.createdAtMs ?? 0;
    const entry = seen && (await readEntry(list, id, createdAtMs));
    if (!entry) return known.has(id) ? leave(id) : undefined;
    stay(id);
    known.set(id, { mark: seen.mark, createdAtMs });
    return { id, entry };
  };

  const leave = (id: string): ListChange | undefined => {
    const mine = leaving.get(id);
    if (!mine) {
      const timer = setTimeout(() => {
        leaving.set(id, { timer, isOver: true });
        void inTurn(() => read([id])).catch(onFault);
      }, GONE_FOR_GOOD_MS);
      leaving.set(id, { timer, isOver: false });
    }
    if (!mine?.isOver) return undefined;
    stay(id);
    known.delete(id);
    return { id, entry: undefined };
  };

  const stay = (id: string): void => {
    clearTimeout(leaving.get(id)?.timer);
    leaving.delete(id);
  };

  const compareAll = async (): Promise<void> => {
    const ids = (ifThere(() => readdirSync(list)) ?? []).flatMap((name) => taskIdOf(name) ?? []);
    const there = new Set(ids);
    const gone = [...known.keys()].filter((id) => !there.has(id));
    await read([...ids.filter((id) => known.get(id)?.mark !== seeFile(list, id)?.mark), ...gone]);
  };

  const readNamed = async (): Promise<void> => {
    const ids = [...named];
    named.clear();
    await read(ids);
  };

  const folderWatch = newListWatch(list, {
    onName(name) {
      if (name === undefined) return void inTurn(compareAll).catch(onFault);
      const id = taskIdOf(name);
      if (id === undefined) return;
      // A write is told of several times; it is read once.
      if (named.size === 0) setImmediate(() => void inTurn(readNamed).catch(onFault));
      named.add(id);
    },
    onFault,
  });

  const poll = async (): Promise<void> => {
    try {
      // Watched first: what changes during the look is told of, then.
      const isWatched = folderWatch.renew();
      await inTurn(compareAll);
      schedule(isWatched);
    } catch (error) {
      onFault(error);
      schedule(false);
    }
  };
  const schedule = (isWatched: boolean): void => {
    if (isClosed) return;
    const restMs = isWatched ? pollMs : Math.min(pollMs, UNWATCHED_POLL_MS);
    pollTimer = setTimeout(() => void poll(), restMs);
  };

  await poll();
  return {
    lookAtAll: () => inTurn(compareAll),
    lookAt: (ids) => inTurn(() => read(ids)),
    close() {
      isClosed = true;
      clearTimeout(pollTimer);
      for (const { timer } of leaving.values()) clearTimeout(timer);
      folderWatch.close();
    },
  };
}

async function readEntry(
  list: string,
  id: string,
  createdAtMs: number,
): Promise<ListChange["entry"]> {
  const file = `${list}/${taskFileName(id)}`;
  const found = await readTaskFile(list, id);
  if (found.kind === "gone") return undefined;
  if (found.kind !== "task") return { kind: found.kind, file, taskId: id, message: found.message };
  const { task, fault } = poolTaskOf(found.task, createdAtMs);
  return (
    task ?? { kind: "invalid-task", file, taskId: id, message: `${file} is no task. ${fault}` }
  );
}

/** Nothing when it is not there. */
function seeFile(list: string, id: string): Known | undefined {
  const stat = statSync(`${list}/${taskFileName(id)}`, { bigint: true, throwIfNoEntry: false });
  if (!stat) return undefined;
  return {
    // Times alone do not tell: two writes may fall into one tick of the disk's clock.
    mark: `${stat.ino}.${stat.size}.${stat.mtimeNs}.${stat.ctimeNs}`,
    // Not every disk knows when a file was made.
    createdAtMs: Number((stat.birthtimeNs || stat.ctimeNs) / 1_000_000n),
  };
}

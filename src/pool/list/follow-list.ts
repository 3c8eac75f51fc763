// Watches a task list, and reads of it only what has changed. The system tells of changes at once, but
// may lose some; so a slow look at all names and times stands behind it.

import { watchFolder } from "../../machine/files/watch-folder.ts";
import { newListReader, type EntryChange } from "../../tasks/reader.ts";
import { taskIdOf } from "../../claude/tasks/file.ts";
import { onBoard } from "../../tasks/listing.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import type { PoolTask } from "../../tasks/task.ts";

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

/** Everything that is there has been reported when this ends. */
export async function observeList(
  list: string,
  { pollMs, onChange, onFault }: ObserveOptions,
): Promise<ListObserver> {
  const reader = newListReader(list);
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

  const tell = (news: readonly EntryChange[]): void => {
    if (isClosed) return;
    const changes = news.flatMap(({ id, entry }) => {
      if (!entry) return leave(id) ?? [];
      stay(id);
      return { id, entry: onBoard(entry) };
    });
    if (changes.length > 0) onChange(changes);
  };
  const read = async (ids: Iterable<string>): Promise<void> => tell(await reader.read(ids));
  const compareAll = async (): Promise<void> => tell(await reader.compare());

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
    reader.forget(id);
    return { id, entry: undefined };
  };

  const stay = (id: string): void => {
    clearTimeout(leaving.get(id)?.timer);
    leaving.delete(id);
  };

  const readNamed = async (): Promise<void> => {
    const ids = [...named];
    named.clear();
    await read(ids);
  };

  const folderWatch = watchFolder(list, {
    onEvent(_, name) {
      if (name === undefined) return void inTurn(compareAll).catch(onFault);
      const id = taskIdOf(name);
      if (id === undefined) return;
      // A write is told of several times; it is read once.
      if (named.size === 0) setImmediate(() => void inTurn(readNamed).catch(onFault));
      named.add(id);
    },
    onError: onFault,
  });

  const poll = async (): Promise<void> => {
    try {
      // Watched first: what changes during the look is told of, then.
      folderWatch.renew();
      await inTurn(compareAll);
      schedule(folderWatch.isWatching());
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

// Watches a task list, and reads only what has changed. The system reports changes at once but may lose some, so all
// names and times are also compared at a slow interval.

import { watchFolder } from "../../machine/files/watch-folder.ts";
import { newListReader, type EntryChange } from "../../tasks/reader.ts";
import { taskIdOf } from "../../claude/tasks/file.ts";
import { onBoard } from "../../tasks/listing.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import type { PoolTask } from "../../tasks/task.ts";

export interface ListObserver {
  /** Compares the whole list with what is known. Changes are reported before this resolves. */
  readonly compareAll: () => Promise<void>;
  /** Reads and reports these tasks, changed or not. */
  readonly reread: (ids: Iterable<string>) => Promise<void>;
  readonly close: () => void;
}

export interface ObserveOptions {
  readonly pollMs: number;
  readonly onChange: (changes: readonly ListChange[]) => void;
  /** The list cannot be read or watched. Each poll tries again. */
  readonly onError: (error: unknown) => void;
}

/** For the board: a task, the problem of its file, or undefined if it was deleted. */
export interface ListChange {
  readonly id: string;
  readonly entry: PoolTask | PoolProblem | undefined;
}

/**
 * Claude removes a deleted task from the `blockedBy` of others only after it has deleted the file. Reported at once, the
 * deletion would leave a dependency on a missing task.
 */
const DELETED_AFTER_MS = 500;
/** While the list cannot be watched: it does not exist yet, or the machine has no watches left. */
const UNWATCHED_POLL_MS = 1_000;

/** The current list is reported before this resolves. */
export async function observeList(
  list: string,
  { pollMs, onChange, onError }: ObserveOptions,
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

  const report = (read: readonly EntryChange[]): void => {
    if (isClosed) return;
    const changes = read.flatMap(({ id, entry }) => {
      if (!entry) return leave(id) ?? [];
      stay(id);
      return { id, entry: onBoard(entry) };
    });
    if (changes.length > 0) onChange(changes);
  };
  const read = async (ids: Iterable<string>): Promise<void> => report(await reader.read(ids));
  const compareNow = async (): Promise<void> => report(await reader.compare());

  const leave = (id: string): ListChange | undefined => {
    const mine = leaving.get(id);
    if (!mine) {
      const timer = setTimeout(() => {
        leaving.set(id, { timer, isOver: true });
        void inTurn(() => read([id])).catch(onError);
      }, DELETED_AFTER_MS);
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
      if (name === undefined) return void inTurn(compareNow).catch(onError);
      const id = taskIdOf(name);
      if (id === undefined) return;
      // One write causes several events; the file is read once.
      if (named.size === 0) setImmediate(() => void inTurn(readNamed).catch(onError));
      named.add(id);
    },
    onError: onError,
  });

  const poll = async (): Promise<void> => {
    try {
      // The watch comes first: changes during the comparison are reported by it.
      folderWatch.renew();
      await inTurn(compareNow);
      schedule(folderWatch.isWatching());
    } catch (error) {
      onError(error);
      schedule(false);
    }
  };
  const schedule = (isWatched: boolean): void => {
    if (isClosed) return;
    const waitMs = isWatched ? pollMs : Math.min(pollMs, UNWATCHED_POLL_MS);
    pollTimer = setTimeout(() => void poll(), waitMs);
  };

  await poll();
  return {
    compareAll: () => inTurn(compareNow),
    reread: (ids) => inTurn(() => read(ids)),
    close() {
      isClosed = true;
      clearTimeout(pollTimer);
      for (const { timer } of leaving.values()) clearTimeout(timer);
      folderWatch.close();
    },
  };
}

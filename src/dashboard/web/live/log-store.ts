// The logs that components watch, each followed by its byte offset: no line is sent twice, and a new connection
// continues where the old one stopped.

import type { FromPage, ToPage } from "../../protocol/messages.ts";
import { addEvents, noRows, type LogRow, type LogRows } from "../log/rows.ts";
import { evictOldest, touch } from "./recently-used.ts";

export interface LogView {
  readonly rows: readonly LogRow[];
  /** No message has arrived yet. */
  readonly isLoading: boolean;
}

export interface LogStore {
  readonly watch: (story: string, run: string, listener: () => void) => () => void;
  readonly view: (story: string, run: string) => LogView;
  readonly receive: (message: Extract<ToPage, { type: "log" }>) => void;
  /** For a new connection. */
  readonly followAgain: () => void;
}

interface Log {
  readonly story: string;
  readonly run: string;
  rows: LogRows;
  next: number;
  view: LogView;
  readonly listeners: Set<() => void>;
}

const LOADING: LogView = { rows: [], isLoading: true };
/** Unwatched logs to keep, for when a person goes back. */
const MAX_UNWATCHED = 4;

export function createLogStore(
  send: (message: FromPage) => void,
  nextFrame: (notify: () => void) => void,
): LogStore {
  const logs = new Map<string, Log>();
  const changed = new Set<Log>();
  const keyOf = (story: string, run: string): string => `${story}/${run}`;
  const follow = ({ story, run, next }: Log): void =>
    send({ type: "follow", story, run, from: next });

  return {
    view: (story, run) => logs.get(keyOf(story, run))?.view ?? LOADING,
    watch(story, run, listener) {
      const log = logOf(story, run);
      log.listeners.add(listener);
      if (log.listeners.size === 1) follow(log);
      return () => {
        log.listeners.delete(listener);
        if (log.listeners.size > 0) return;
        send({ type: "leave", story, run });
        evictOldest(logs, MAX_UNWATCHED);
      };
    },
    receive({ story, run, from, next, events }) {
      const log = logs.get(keyOf(story, run));
      if (log === undefined) return;
      // The file was replaced, or was requested twice: this message replaces all rows.
      const isFromStart = from === 0;
      // An old message, sent before this log was requested again.
      if (!isFromStart && from < log.next) return;
      if (from > log.next) return follow(log);
      log.rows = addEvents(isFromStart ? noRows() : log.rows, events);
      log.next = next;
      log.view = { rows: log.rows.rows, isLoading: false };
      if (changed.size === 0) nextFrame(notify);
      changed.add(log);
    },
    followAgain() {
      for (const log of logs.values()) if (log.listeners.size > 0) follow(log);
    },
  };

  function logOf(story: string, run: string): Log {
    return touch(logs, keyOf(story, run), () => ({
      story,
      run,
      rows: noRows(),
      next: 0,
      view: LOADING,
      listeners: new Set(),
    }));
  }

  function notify(): void {
    const logsToNotify = [...changed];
    changed.clear();
    for (const { listeners } of logsToNotify) for (const listener of listeners) listener();
  }
}

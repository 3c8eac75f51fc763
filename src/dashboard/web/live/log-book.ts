// The logs that someone looks at, each followed by its offset: what was read is never read again, and a
// connection that comes back goes on where it was.

import type { FromPage, ToPage } from "../../protocol/messages.ts";
import { addEvents, noRows, type LogRow, type LogRows } from "../log/rows.ts";
import { forgetOldest, putLast } from "./by-use.ts";

export interface LogView {
  readonly rows: readonly LogRow[];
  /** Nothing has come yet; an empty log is not the same. */
  readonly isLoading: boolean;
}

export interface LogBook {
  readonly watch: (story: string, run: string, listener: () => void) => () => void;
  readonly view: (story: string, run: string) => LogView;
  readonly receive: (message: Extract<ToPage, { type: "log" }>) => void;
  /** A new connection knows nothing of what the old one followed. */
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
/** Logs that nobody looks at any more, kept for the way back. */
const KEPT_LOGS = 4;

export function createLogBook(
  say: (message: FromPage) => void,
  nextFrame: (tell: () => void) => void,
): LogBook {
  const logs = new Map<string, Log>();
  const changed = new Set<Log>();
  const keyOf = (story: string, run: string): string => `${story}/${run}`;
  const follow = ({ story, run, next }: Log): void =>
    say({ type: "follow", story, run, from: next });

  return {
    view: (story, run) => logs.get(keyOf(story, run))?.view ?? LOADING,
    watch(story, run, listener) {
      const log = logOf(story, run);
      log.listeners.add(listener);
      if (log.listeners.size === 1) follow(log);
      return () => {
        log.listeners.delete(listener);
        if (log.listeners.size > 0) return;
        say({ type: "leave", story, run });
        forgetOldest(logs, KEPT_LOGS);
      };
    },
    receive({ story, run, from, next, events }) {
      const log = logs.get(keyOf(story, run));
      if (log === undefined) return;
      // From the start again: the file was replaced, or was asked for twice; either way this is all of it.
      const isAnew = from === 0;
      // Older than what is here: it was on its way when this log was asked for anew.
      if (!isAnew && from < log.next) return;
      if (from > log.next) return follow(log);
      log.rows = addEvents(isAnew ? noRows() : log.rows, events);
      log.next = next;
      log.view = { rows: log.rows.rows, isLoading: false };
      if (changed.size === 0) nextFrame(tell);
      changed.add(log);
    },
    followAgain() {
      for (const log of logs.values()) if (log.listeners.size > 0) follow(log);
    },
  };

  function logOf(story: string, run: string): Log {
    return putLast(logs, keyOf(story, run), () => ({
      story,
      run,
      rows: noRows(),
      next: 0,
      view: LOADING,
      listeners: new Set(),
    }));
  }

  function tell(): void {
    const told = [...changed];
    changed.clear();
    for (const { listeners } of told) for (const listener of listeners) listener();
  }
}

// The runs of every story. Ended runs are read once; of a running one, the last action comes from the end of its
// log.

import { join } from "node:path";
import { listNames } from "../../machine/files/files.ts";
import { layoutOf, runsFolder } from "../../store/project/layout.ts";
import { runFolder } from "../../store/runs/runs.ts";
import type { Store } from "../../store/store.ts";
import { lineOf } from "../../story/state/event-line.ts";
import { idProblem } from "../../story/definition/names.ts";
import type { Run, RunEvent } from "../../story/state/run.ts";
import { readEnd, readLines } from "../server/log-lines.ts";

export interface LastAction {
  readonly at: string;
  readonly text: string;
}

export interface RunsCache {
  /** Newest first. */
  readonly of: (storyId: string) => readonly Run[];
  readonly stories: () => Iterable<string>;
  readonly lastAction: (storyId: string) => LastAction | undefined;
  /** Stories that have runs. Forgets all others. */
  readonly names: () => readonly string[];
  /** Reads the records of a story's runs. */
  readonly read: (storyId: string) => Promise<void>;
  /** Reads the new lines of a run's log. Returns whether they contain something that the story's page shows. */
  readonly readLog: (storyId: string, runId: string) => boolean;
}

/** Fits a few of the longest lines. */
const END_BYTES = 16_384;
/** Events that a story's page shows outside its log: receipts, commits, journal. */
const PAGE_EVENTS = new Set(["gate", "task.committed", "part.committed", "run.ended", "journal"]);

interface Log {
  readonly run: string;
  readonly offset: number;
  readonly action: LastAction | undefined;
}

export function newRunsCache(store: Store): RunsCache {
  const at = layoutOf(store.project);
  const runs = new Map<string, readonly Run[]>();
  const logs = new Map<string, Log>();

  const read = async (storyId: string): Promise<void> => {
    const before = runs.get(storyId) ?? [];
    // The newest is read again: it may be discarded after its end.
    const ended = before.slice(1).filter(({ endedAt }) => endedAt !== undefined);
    const known = new Map(ended.map((run) => [run.id, run]));
    const found = await store.listRuns(storyId, known);
    if (found.length > 0) runs.set(storyId, found);
    else runs.delete(storyId);
    const newest = found[0];
    if (newest === undefined || newest.endedAt !== undefined) logs.delete(storyId);
    else if (logs.get(storyId)?.run !== newest.id) readLog(storyId, newest.id);
  };

  const readLog = (storyId: string, runId: string): boolean => {
    const newest = runs.get(storyId)?.[0];
    if (newest?.id !== runId || newest.endedAt !== undefined) return false;
    const file = join(runFolder(at, storyId, runId), "events.jsonl");
    const log = logs.get(storyId);
    const known = log?.run === runId ? log : undefined;
    const { events, next } = known ? readLines(file, known.offset) : readEnd(file, END_BYTES);
    const action = lastActionIn(events) ?? known?.action;
    logs.set(storyId, { run: runId, offset: next, action });
    return known !== undefined && events.some(({ type }) => PAGE_EVENTS.has(type));
  };

  return {
    of: (storyId) => runs.get(storyId) ?? [],
    stories: () => runs.keys(),
    lastAction: (storyId) => logs.get(storyId)?.action,
    read,
    readLog,
    names() {
      const ids = listNames(runsFolder(at)).filter((id) => idProblem("story", id) === undefined);
      const known = new Set(ids);
      for (const id of runs.keys()) if (!known.has(id)) runs.delete(id);
      return ids;
    },
  };
}

/** The newest event that people read. */
export function lastActionIn(events: readonly RunEvent[]): LastAction | undefined {
  for (const event of events.toReversed()) {
    const line = lineOf(event);
    if (line) return { at: line.at, text: cut(`${line.head} ${line.text}`.trim()) };
  }
  return undefined;
}

/** A card is always sent whole, so it only has the start of a long line. */
const MAX_LENGTH = 300;
const cut = (text: string): string => {
  const [first = ""] = text.split("\n");
  return first.length > MAX_LENGTH ? `${first.slice(0, MAX_LENGTH)}…` : first;
};

// The runs of every story, kept: those that have ended are read once. Of the one that goes on, the last
// thing that happened is known from the end of its log.

import { join } from "node:path";
import { listNames } from "../../machine/files/files.ts";
import { layoutOf, runsFolder } from "../../store/project/layout.ts";
import { runFolder } from "../../store/runs/runs.ts";
import type { Store } from "../../store/store.ts";
import { lineOf } from "../../story/state/events.ts";
import { idProblem } from "../../story/definition/names.ts";
import type { Run, RunEvent } from "../../story/state/run.ts";
import { readEnd, readLines } from "../server/log-lines.ts";

export interface LastAction {
  readonly at: string;
  readonly text: string;
}

export interface RunsMemory {
  /** Newest first. */
  readonly of: (storyId: string) => readonly Run[];
  readonly stories: () => Iterable<string>;
  readonly lastAction: (storyId: string) => LastAction | undefined;
  /** Those that have runs; the others are forgotten. */
  readonly names: () => readonly string[];
  /** The records of a story's runs. */
  readonly read: (storyId: string) => Promise<void>;
  /** What is new in the log of a run; whether it holds something that a story's page shows. */
  readonly readLog: (storyId: string, runId: string) => boolean;
}

/** Enough for a few of the longest lines. */
const END_BYTES = 16_384;
/** What a page shows besides the log itself: receipts and commits. */
const TELLING = new Set(["gate", "task.committed", "part.committed", "run.ended", "journal"]);

interface Log {
  readonly run: string;
  readonly offset: number;
  readonly action: LastAction | undefined;
}

export function newRunsMemory(store: Store): RunsMemory {
  const at = layoutOf(store.project);
  const runs = new Map<string, readonly Run[]>();
  const logs = new Map<string, Log>();

  const read = async (storyId: string): Promise<void> => {
    const before = runs.get(storyId) ?? [];
    // The newest may be discarded after it has ended.
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
    return known !== undefined && events.some(({ type }) => TELLING.has(type));
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

function lastActionIn(events: readonly RunEvent[]): LastAction | undefined {
  for (const event of events.toReversed()) {
    const line = lineOf(event);
    if (line) return { at: line.at, text: cut(`${line.head} ${line.text}`.trim()) };
  }
  return undefined;
}

/** A card is sent whole each time: a long answer of the agent need not be in it. */
const MAX_LENGTH = 300;
const cut = (text: string): string => {
  const [first = ""] = text.split("\n");
  return first.length > MAX_LENGTH ? `${first.slice(0, MAX_LENGTH)}…` : first;
};

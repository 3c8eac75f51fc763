// Runs and what happened in them. Events are only ever appended, one whole line in one write; what a
// crash cuts off is the last line at most, and a reader passes over it.

import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import {
  diskError,
  ifThere,
  listFolder,
  makeFolder,
  readTextIfThere,
  replaceFile,
  writeDurably,
} from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";
import { isFromFuture, newRunId } from "../../story/state/run-id.ts";
import {
  eventSchema,
  withCurrentOutcome,
  runId,
  runSchema,
  type Run,
  type RunEvent,
} from "../../story/state/run.ts";
import type { Limit, RunOutcome } from "../../story/state/state.ts";
import { parseDocument } from "../project/document.ts";
import { formatDocument } from "../project/json-text.ts";
import type { KnownRefs } from "../project/known-refs.ts";
import { runsFolder, type Layout } from "../project/layout.ts";

export interface RunLog {
  readonly run: Run;
  /** Durable events survive a power cut, for the price of a sync. */
  readonly append: (event: RunEvent, options?: { isDurable?: boolean }) => void;
  /** What is not durable survives a kill of the process, and not a power cut. */
  readonly update: (change: Partial<Run>, options?: { readonly isDurable?: boolean }) => Run;
  readonly close: () => void;
}

export interface EventPage {
  readonly events: readonly RunEvent[];
  /** Where to read on: behind the last whole line. */
  readonly nextOffset: number;
  /** Whole lines that were no events: a cut-off write, or a person's edit. */
  readonly skipped: number;
}

export function startRun(
  at: Layout,
  storyId: string,
  nowMs: number,
  start: Partial<Run> = {},
): RunLog {
  const random = Math.random().toString(16).slice(2, 8).padEnd(6, "0");
  const id = newRunId(nextMs(at, storyId, nowMs, start), random);
  const folder = runFolder(at, storyId, id);
  makeFolder(folder);
  const run = runSchema.parse({
    ...start,
    id,
    story: storyId,
    startedAt: new Date(nowMs).toISOString(),
  });
  writeDurably(join(folder, "run.json"), formatDocument(run));
  return openRun(at, run);
}

/**
 * Behind all that there are: the last one counts, and a clock that was set back must make none of them
 * older than what was before it. What lies too far ahead counts for nothing and moves nothing, but for a
 * merge, which git says as well.
 */
function nextMs(at: Layout, storyId: string, nowMs: number, { outcome }: Partial<Run>): number {
  const last = runIds(at, storyId).find((id) => outcome === "merged" || !isFromFuture(id, nowMs));
  const lastMs = beganMs(last ?? "");
  // One that nobody can come after was not written by us.
  return lastMs >= nowMs && lastMs < END_OF_TIME_MS ? lastMs + 1 : nowMs;
}

const END_OF_TIME_MS = Date.UTC(9999, 0);

/** As its id says: `20261115T120000000Z-1a2b3c`. */
const beganMs = (id: string): number =>
  Date.parse(id.replace(/^(.{4})(..)(..)T(..)(..)(..)(.{3})Z-.*$/, "$1-$2-$3T$4:$5:$6.$7Z"));

/** Goes on with a run's record, after a crash of whoever kept it for example. */
export function openRun(at: Layout, existing: Run): RunLog {
  const folder = runFolder(at, existing.story, existing.id);
  let run = existing;
  const file = openSync(join(folder, "events.jsonl"), "a+", 0o644);
  let isTorn = !endsWithNewline(file);
  return {
    get run() {
      return run;
    },
    append(event, { isDurable = false } = {}) {
      // After a cut-off line comes a line of its own: what was lost then takes nothing along.
      const line = Buffer.from(`${isTorn ? "\n" : ""}${JSON.stringify(event)}\n`);
      isTorn = true;
      try {
        let written = 0;
        while (written < line.length) written += writeSync(file, line, written);
        isTorn = false;
        if (isDurable) fsyncSync(file);
      } catch (error) {
        throw diskError(error, folder);
      }
    },
    update(change, { isDurable = true } = {}) {
      run = runSchema.parse({ ...run, ...change });
      const write = isDurable ? writeDurably : replaceFile;
      write(join(folder, "run.json"), formatDocument(run));
      return run;
    },
    close() {
      closeSync(file);
    },
  };
}

/** Newest first. A run whose record is unreadable is passed over; those that are known are not read. */
export function listRuns(
  at: Layout,
  storyId: string,
  known: ReadonlyMap<string, Run> = new Map(),
): Run[] {
  return runIds(at, storyId).flatMap((id) => known.get(id) ?? readRun(at, storyId, id) ?? []);
}

/**
 * The oldest go, but none that has not ended: someone may still have to look at it. What a kill has left
 * half written goes too. For whoever has the story: nobody else begins a run then.
 */
export function pruneRuns(at: Layout, storyId: string, keep: number): void {
  for (const [nth, id] of runIds(at, storyId).entries()) {
    const folder = runFolder(at, storyId, id);
    const names = listFolder(folder).map(({ name }) => name);
    const remove = (name: string): void =>
      rmSync(join(folder, name), { recursive: true, force: true });
    // Killed before it was recorded: nothing was begun.
    if (!names.includes("run.json")) remove(".");
    else names.filter((name) => /^\..*\.tmp$/.test(name)).forEach(remove);
    const run = nth < keep ? undefined : readRun(at, storyId, id);
    if (run?.endedAt !== undefined && !isLasting(run)) remove(".");
  }
}

/** What a person said, and how the story began, count for as long as there is the story. */
const isLasting = ({ hasWord = false, start, discardedAt }: Run): boolean =>
  hasWord || (start !== undefined && discardedAt === undefined);

/** What the last run says about its story. */
export interface LastRun {
  /** Nothing when there was none that still counts. */
  readonly id: string | undefined;
  /** Nobody has written down its end: it goes on, or its worker was killed. */
  readonly isOpen: boolean;
  /** A worker's: killed, it has left something in the middle. */
  readonly isWorkers: boolean;
  /** How it ended, as far as that still counts. */
  readonly outcome: RunOutcome | undefined;
  /** Why it ended, in a sentence. */
  readonly reason: string | undefined;
  readonly limit: Limit | undefined;
  /** Why its branch could not be pushed. */
  readonly pushError: string | undefined;
  /** Its agent has gone silent, as its worker sees it. */
  readonly isSilent: boolean;
}

export const NO_RUN: LastRun = {
  id: undefined,
  isOpen: false,
  isWorkers: false,
  outcome: undefined,
  reason: undefined,
  limit: undefined,
  pushError: undefined,
  isSilent: false,
};

/** Git is asked where a run says that its story is merged. */
interface Judging {
  readonly nowMs: number;
  readonly refs: KnownRefs;
}

export const lastRunOf = (at: Layout, storyId: string, judging: Judging): LastRun =>
  judgeRuns(storyId, readRuns(at, storyId), judging);

function* readRuns(at: Layout, storyId: string): Iterable<Run> {
  for (const id of runIds(at, storyId)) {
    const run = readRun(at, storyId, id);
    if (run) yield run;
  }
}

/** The newest first. What says nothing about its story is passed over: what was before it counts. */
export function judgeRuns(storyId: string, runs: Iterable<Run>, { nowMs, refs }: Judging): LastRun {
  let last: LastRun | undefined;
  for (const run of runs) {
    if (run.isAside) continue;
    const isMerged = run.outcome === "merged";
    // Whoever can write here could say so.
    if (isMerged && !refs.isMergeRecorded(storyId)) continue;
    // A clock that was set back leaves runs in the future. What has arrived stays so: git says it as well.
    if (!isMerged && isFromFuture(run.id, nowMs)) continue;
    last ??= judgeRun(run);
    // A person's record says nothing about the push: the worker's run before it does.
    if (run.discardedAt !== undefined) return last;
    if (isMerged || run.worker !== undefined) return { ...last, pushError: run.pushError };
  }
  return last ?? NO_RUN;
}

function judgeRun(run: Run): LastRun {
  if (run.discardedAt !== undefined) return NO_RUN;
  const { id, outcome, reason, limit, pushError } = run;
  const isOpen = run.endedAt === undefined;
  const isSilent = isOpen && (run.silentCheckIns ?? 0) > 0;
  const isWorkers = run.worker !== undefined;
  return { id, isOpen, isWorkers, outcome, reason, limit, pushError, isSilent };
}

export function readEvents(at: Layout, storyId: string, id: string, fromOffset = 0): EventPage {
  if (!runId.safeParse(id).success) {
    throw new SagaError("bad-id", `${JSON.stringify(id)} is not the id of a run.`);
  }
  const path = join(runFolder(at, storyId, id), "events.jsonl");
  const bytes = ifThere(() => readFrom(path, fromOffset));
  if (bytes === undefined) return { events: [], nextOffset: fromOffset, skipped: 0 };
  const end = bytes.lastIndexOf(0x0a) + 1;
  const events: RunEvent[] = [];
  let skipped = 0;
  for (const line of bytes.toString("utf8", 0, end).split("\n")) {
    if (line === "") continue;
    const event = eventIn(line);
    if (event) events.push(event);
    else skipped++;
  }
  return { events, nextOffset: fromOffset + end, skipped };
}

export const runFolder = (at: Layout, storyId: string, id: string): string =>
  join(runsFolder(at), storyId, id);

const runIds = (at: Layout, storyId: string): string[] =>
  listFolder(join(runsFolder(at), storyId))
    .map((entry) => entry.name)
    .filter((name) => runId.safeParse(name).success)
    .toReversed();

function readRun(at: Layout, storyId: string, id: string): Run | undefined {
  const file = join(runFolder(at, storyId, id), "run.json");
  const text = readTextIfThere(file);
  const run =
    text === undefined ? undefined : parseDocument(file, text, { schema: runSchema }).value;
  return run && withCurrentOutcome(run);
}

/** A line that is none was cut off by a crash: it is passed over. */
export const eventIn = (line: string): RunEvent | undefined =>
  eventSchema.safeParse(parseJson(line)).data;

function readFrom(path: string, offset: number): Buffer {
  const file = openSync(path, constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - offset));
    const read = readSync(file, bytes, 0, bytes.length, offset);
    return bytes.subarray(0, read);
  } finally {
    closeSync(file);
  }
}

function endsWithNewline(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}

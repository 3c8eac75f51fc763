// Runs and their events. Events are appended, one line per write; a crash cuts off at most the last line, which
// readers skip.

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
import { eventSchema, runId, runSchema, type Run, type RunEvent } from "../../story/state/run.ts";
import { parseDocument } from "../project/document.ts";
import { formatDocument } from "../project/json-text.ts";
import { runsFolder, type Layout } from "../project/layout.ts";
import { noteDeletedRun, readDeletedRuns } from "./deleted-runs.ts";

export interface RunLog {
  readonly run: Run;
  /** A durable event survives a power cut, at the price of a sync. */
  readonly append: (event: RunEvent, options?: { isDurable?: boolean }) => void;
  /** A change that is not durable survives a kill of the process, but not a power cut. */
  readonly update: (change: Partial<Run>, options?: { readonly isDurable?: boolean }) => Run;
  readonly close: () => void;
}

export interface EventPage {
  readonly events: readonly RunEvent[];
  /** Where the next page starts: after the last whole line. */
  readonly nextOffset: number;
  /** Whole lines that are not events: a cut-off write, or a person's edit. */
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
 * After all existing runs: the newest counts, so a clock that was set back must not date a run before an earlier one.
 * Runs too far in the future are ignored, except for a merge, which git confirms.
 */
function nextMs(at: Layout, storyId: string, nowMs: number, { outcome }: Partial<Run>): number {
  const last = runIds(at, storyId).find((id) => outcome === "merged" || !isFromFuture(id, nowMs));
  const lastMs = startMsOf(last ?? "");
  // A later date was not written by Saga: no run could follow it.
  return lastMs >= nowMs && lastMs < END_OF_TIME_MS ? lastMs + 1 : nowMs;
}

const END_OF_TIME_MS = Date.UTC(9999, 0);

/** The time in the id: `20261115T120000000Z-1a2b3c`. */
const startMsOf = (id: string): number =>
  Date.parse(id.replace(/^(.{4})(..)(..)T(..)(..)(..)(.{3})Z-.*$/, "$1-$2-$3T$4:$5:$6.$7Z"));

/** Continues a run's record, for example after its worker crashed. */
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
      // A cut-off line gets its line break first, so that it does not spoil this one.
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

/** Newest first. Skips runs with unreadable records; does not read those in `known`. */
export function listRuns(
  at: Layout,
  storyId: string,
  known: ReadonlyMap<string, Run> = new Map(),
): Run[] {
  return runIds(at, storyId).flatMap((id) => known.get(id) ?? readRun(at, storyId, id) ?? []);
}

/** Runs that may have been open at this time or later, and their costs after they were deleted. In no order. */
export function listRunsSince(at: Layout, storyId: string, sinceMs: number): Run[] {
  const ids = runIds(at, storyId).filter((id) => startMsOf(id) >= sinceMs - LONGEST_RUN_MS);
  const runs = ids.flatMap((id) => readRun(at, storyId, id) ?? []);
  const listed = new Set(ids);
  const deleted = readDeletedRuns(join(runsFolder(at), storyId));
  return [...runs, ...deleted.filter(({ id }) => !listed.has(id))];
}

/** A run may wait for the end of a usage limit. */
const LONGEST_RUN_MS = 8 * 24 * 3_600_000;

/**
 * Deletes the oldest runs, except those without an end: their processes may still have to be ended. Also deletes
 * half-written files of killed writers. Needs the story's lease, so that no run starts meanwhile.
 */
export function pruneRuns(at: Layout, storyId: string, keep: number): void {
  for (const [nth, id] of runIds(at, storyId).entries()) {
    const folder = runFolder(at, storyId, id);
    const names = listFolder(folder).map(({ name }) => name);
    const remove = (name: string): void =>
      rmSync(join(folder, name), { recursive: true, force: true });
    // Killed before the run was recorded: no work was started.
    if (!names.includes("run.json")) remove(".");
    else names.filter((name) => /^\..*\.tmp$/.test(name)).forEach(remove);
    const run = nth < keep ? undefined : readRun(at, storyId, id);
    if (run?.endedAt === undefined || isLasting(run)) continue;
    noteDeletedRun(join(runsFolder(at), storyId), run);
    remove(".");
  }
}

/** Approvals, edits and the start of a story count for as long as the story exists. */
const isLasting = ({ hasWord = false, start, edit, discardedAt }: Run): boolean =>
  hasWord || ((start ?? edit) !== undefined && discardedAt === undefined);

export function* readRuns(at: Layout, storyId: string): Iterable<Run> {
  for (const id of runIds(at, storyId)) {
    const run = readRun(at, storyId, id);
    if (run) yield run;
  }
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
  return text === undefined ? undefined : parseDocument(file, text, { schema: runSchema }).value;
}

/** Undefined for a line that is not an event, such as one cut off by a crash. */
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

// Saga's own records about stories: leases and last runs. An unreadable record is a problem of its story, whose state
// is then unknown; the other stories are read without it.

import { join } from "node:path";
import { SagaError, type Problem } from "../../errors.ts";
import { listFolder, listNames } from "../../machine/files/files.ts";
import type { ReadProblems } from "../project/find.ts";
import type { KnownRefs } from "../project/known-refs.ts";
import { leasesFolder, runsFolder, type Layout } from "../project/layout.ts";
import { storyLease } from "../leases/lease-names.ts";
import { readLease, type LeaseState } from "../leases/lease.ts";
import { unreadable } from "../project/read.ts";
import { lastRunOf, NO_RUN, type LastRun } from "./runs.ts";

export interface OwnRecords {
  readonly lease: LeaseState | undefined;
  readonly lastRun: LastRun;
}

export interface RecordsReading {
  readonly nowMs: number;
  readonly refs: KnownRefs;
  readonly reading: ReadProblems;
  /** Leases that count as free. */
  readonly ignoresLease?: ((lease: LeaseState) => boolean) | undefined;
}

/** Reads the records of each story once. Undefined when one cannot be read: the problem is in `reading`. */
export function recordsReader(
  at: Layout,
  { nowMs, refs, reading, ignoresLease }: RecordsReading,
): (storyId: string) => OwnRecords | undefined {
  const hasRun = namesIn(runsFolder(at));
  const hasLease = namesIn(leasesFolder(at));
  const read = new Map<string, OwnRecords | undefined>();
  const readRecords = (id: string): OwnRecords | undefined => {
    let hasReadLease = false;
    try {
      const found = hasLease.has(storyLease(id)) ? readStoryLease(at, id, nowMs) : undefined;
      const lease = found && ignoresLease?.(found) ? undefined : found;
      hasReadLease = true;
      const lastRun = hasRun.has(id) ? lastRunOf(at, id, { nowMs, refs }) : NO_RUN;
      return { lease, lastRun };
    } catch (error) {
      const folder = hasReadLease
        ? join(runsFolder(at), id)
        : join(leasesFolder(at), storyLease(id));
      reading.problems.push(unreadable(fileIn(error) ?? folder, error));
      return undefined;
    }
  };
  return (id) => {
    if (!read.has(id)) read.set(id, readRecords(id));
    return read.get(id);
  };
}

/** Whether a file belongs to this story: its definition, runs or lease. */
export const isFileOf = (storyId: string, file: string): boolean =>
  [`/stories/${storyId}/`, `/runs/${storyId}/`, `/leases/${storyLease(storyId)}/`].some((folder) =>
    `${file}/`.includes(folder),
  );

export const readStoryLease = (at: Layout, id: string, nowMs: number): LeaseState | undefined =>
  readLease(join(leasesFolder(at), storyLease(id)), storyLease(id), nowMs);

/** All leases, those of epics too. An unreadable one is reported and hides no other. */
export function listLeases(
  at: Layout,
  nowMs: number,
  onProblem: (problem: Problem) => void,
): LeaseState[] {
  const folders = listFolder(leasesFolder(at)).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name }) => {
    const folder = join(leasesFolder(at), name);
    try {
      return readLease(folder, name, nowMs) ?? [];
    } catch (error) {
      onProblem(unreadable(fileIn(error) ?? folder, error));
      return [];
    }
  });
}

const namesIn = (folder: string): Set<string> => new Set(listNames(folder));

/** The path in an error of the system, if it has one. */
function fileIn(error: unknown): string | undefined {
  const { path } = ((error instanceof SagaError ? error.cause : error) ?? {}) as { path?: unknown };
  return typeof path === "string" ? path : undefined;
}

// What Saga itself has written down about stories: who has each, and how its last run went. What cannot be
// read is a problem of its own story: nobody guesses what it says, and all others are seen without it.

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
  /** Leases that are read as if they were free. */
  readonly ignoresLease?: ((lease: LeaseState) => boolean) | undefined;
}

/** Each is read once. Nothing where something cannot be read, which is then among the problems. */
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

/** Whether it tells of this story: by those who wrote it, or by Saga. */
export const isFileOf = (storyId: string, file: string): boolean =>
  [`/stories/${storyId}/`, `/runs/${storyId}/`, `/leases/${storyLease(storyId)}/`].some((folder) =>
    `${file}/`.includes(folder),
  );

export const readStoryLease = (at: Layout, id: string, nowMs: number): LeaseState | undefined =>
  readLease(join(leasesFolder(at), storyLease(id)), storyLease(id), nowMs);

/** Everybody's, an epic's run among them; what cannot be read is told, and hides no other. */
export function leasesThatTell(
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

/** The system names the file, as far as it can. */
function fileIn(error: unknown): string | undefined {
  const { path } = ((error instanceof SagaError ? error.cause : error) ?? {}) as { path?: unknown };
  return typeof path === "string" ? path : undefined;
}

// Saga's own records about stories: leases and last runs. An unreadable record is a problem of its story, whose state
// is then unknown; the other stories are read without it.

import { join } from "node:path";
import { listNames } from "../../machine/files/files.ts";
import type { ReadProblems } from "../project/find.ts";
import type { KnownRefs } from "../project/known-refs.ts";
import { leasesFolder, runsFolder, type Layout } from "../project/layout.ts";
import { storyLease } from "../leases/lease-names.ts";
import type { LeaseLook, LeaseState } from "../leases/leases.ts";
import { fileIn, unreadable } from "../../machine/files/unreadable.ts";
import { lastRunOf, NO_RUN, type LastRun } from "./last-run.ts";

export interface OwnRecords {
  readonly lease: LeaseState | undefined;
  readonly lastRun: LastRun;
}

export interface RecordsReading {
  readonly nowMs: number;
  readonly refs: KnownRefs;
  readonly reading: ReadProblems;
  /** Without it, no story has a lease. */
  readonly leaseOf?: LeaseLook | undefined;
}

/** Reads the records of each story once. Undefined when one cannot be read: the problem is in `reading`. */
export function recordsReader(
  at: Layout,
  { nowMs, refs, reading, leaseOf }: RecordsReading,
): (storyId: string) => OwnRecords | undefined {
  const hasRun = new Set(listNames(runsFolder(at)));
  const read = new Map<string, OwnRecords | undefined>();
  const readRecords = (id: string): OwnRecords | undefined => {
    let unread = join(leasesFolder(at), storyLease(id));
    try {
      const lease = leaseOf?.(storyLease(id));
      unread = join(runsFolder(at), id);
      const lastRun = hasRun.has(id) ? lastRunOf(at, id, { nowMs, refs }) : NO_RUN;
      return { lease, lastRun };
    } catch (error) {
      reading.problems.push(unreadable(fileIn(error) ?? unread, error));
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

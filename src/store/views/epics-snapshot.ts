// Writes `.saga/epics.json`: after a merge, when a worker ends, and when work is discarded. Saga never reads it for
// a decision. Git ignores it: it changes with every run, which would dirty the person's checkout and conflict between
// any two branches.

import { join } from "node:path";
import { readOwnTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { isThisProcess } from "../../machine/processes/process-id.ts";
import {
  snapshotOf,
  type EpicsSnapshot,
  type KnownStory,
} from "../../story/state/epics-snapshot.ts";
import { isUntouched, type StoryState } from "../../story/state/state.ts";
import { isShortLived } from "../leases/lease-purpose.ts";
import { newReading } from "../project/find.ts";
import { formatDocument } from "../project/json-text.ts";
import { archiveFolder, epicsFile, type Layout } from "../project/layout.ts";
import { branchesIn } from "../project/known-refs.ts";
import type { LeaseLook } from "../leases/leases.ts";
import { isBegun, readOverview, type StoryView } from "./overview.ts";
import { readOutline } from "../project/read.ts";

/** Does not write the file if its content is the same. */
export function writeEpicsSnapshot(at: Layout, leaseOf: LeaseLook, nowMs: number): EpicsSnapshot {
  const snapshot = readEpicsSnapshot(at, leaseOf, nowMs);
  const text = formatDocument(snapshot);
  if (readOwnTextIfThere(epicsFile(at)) !== text) writeDurably(epicsFile(at), text);
  return snapshot;
}

/** Leaves out what is broken. */
function readEpicsSnapshot(at: Layout, leaseOf: LeaseLook, nowMs: number): EpicsSnapshot {
  const { epics, stories, archived } = readOverview(at, { nowMs, leaseOf: ofWorkers(leaseOf) });
  const views = [...epics.values()].map(({ epic }) => epic);
  const home = new Map(views.flatMap(({ id, children }) => children.map((one) => [one.id, id])));
  const finished = [...archived].flatMap((id): KnownStory[] => {
    const place = { id, folder: join(archiveFolder(at), id), source: "archive" } as const;
    const story = readOutline(at, place, newReading())?.story;
    return story ? [{ story, epicId: story.epic ?? home.get(id), state: "completed" }] : [];
  });
  const open = [...stories.values()].map((view) => ({
    story: view.record.story,
    epicId: view.epicId,
    state: asBegun(view),
  }));
  const known = [...open, ...finished].toSorted(byId);
  return snapshotOf(views, known, branchesIn(at));
}

/**
 * The command that writes the snapshot still holds the lease of the story that it merged, discarded or worked on.
 * Other short-lived commands may hold leases too.
 */
const ofWorkers =
  (leaseOf: LeaseLook): LeaseLook =>
  (name) => {
    const lease = leaseOf(name);
    const isOther = lease && (isShortLived(lease.record.purpose) || isThisProcess(lease.record));
    return isOther ? undefined : lease;
  };

/** A question asked before any work does not make a story blocked; a begun story with new tasks stays unfinished. */
function asBegun(view: StoryView): StoryState {
  if (view.state === "blocked") return isBegun(view) ? "blocked" : "ready";
  return isUntouched(view.state) && isBegun(view) ? "unfinished" : view.state;
}

const byId = (one: KnownStory, other: KnownStory): number =>
  one.story.id < other.story.id ? -1 : 1;

// A project at a glance: every story with the state that people see. Read once, in one pass.

import { join } from "node:path";
import type { Problem } from "../errors.ts";
import { listFolder } from "../machine/files.ts";
import type { Epic } from "../story/epic.ts";
import type { Status } from "../story/fields.ts";
import { waitingFor } from "../story/graph.ts";
import { parseJournal, type JournalEntry } from "../story/journal.ts";
import {
  epicLinks,
  epicStatus,
  storyState,
  type RunOutcome,
  type StoryState,
} from "../story/state.ts";
import { leasesFolder, runsFolder, type Layout } from "./layout.ts";
import { readLease, type LeaseState } from "./lease.ts";
import { findArchived, findStories, findStory, newReading } from "./find.ts";
import { readEpics, readOutline, type StoryOutline, type StoryRecord } from "./read.ts";
import { lastRun } from "./runs.ts";

export interface StoryView<R extends StoryOutline = StoryOutline> {
  readonly record: R;
  readonly state: StoryState;
  readonly epicId: string | undefined;
  readonly waitsFor: readonly string[];
  readonly openBlockers: readonly JournalEntry[];
  readonly lease: LeaseState | undefined;
}

export interface EpicView {
  readonly epic: Epic;
  readonly status: Status;
}

export interface Overview {
  readonly epics: ReadonlyMap<string, EpicView>;
  readonly stories: ReadonlyMap<string, StoryView>;
  readonly archived: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

export function readOverview(at: Layout, nowMs: number): Overview {
  const reading = newReading();
  const records = new Map<string, StoryOutline>();
  for (const place of findStories(at, reading).values()) {
    const record = readOutline(at, place, reading);
    if (record) records.set(place.id, record);
  }
  const archived = new Set(findArchived(at, reading));
  const epics = new Map([...readEpics(at, reading)].map(([id, { epic }]) => [id, epic]));
  const isCompleted = (id: string): boolean => archived.has(id) || isMerged(records.get(id));
  const membership = membershipIn(epics.values(), isCompleted);

  const hasLease = namesIn(leasesFolder(at));
  const hasRun = namesIn(runsFolder(at));
  const stories = new Map<string, StoryView>();
  for (const [id, record] of records) {
    const lease = hasLease.has(storyLease(id)) ? readStoryLease(at, id, nowMs) : undefined;
    const outcome = hasRun.has(id) ? lastRun(at, id)?.outcome : undefined;
    stories.set(id, view(record, membership, lease, outcome));
  }
  const { problems } = reading;
  return { epics: viewEpics(epics, stories, archived), stories, archived, problems };
}

/** The same for one story, reading no more than its epic and what it waits for. */
export function viewStory(at: Layout, record: StoryRecord, nowMs: number): StoryView<StoryRecord> {
  const epics = [...readEpics(at, newReading()).values()].map(({ epic }) => epic);
  const isCompleted = (id: string): boolean => {
    const place = findStory(at, id);
    if (place?.source !== "project") return place?.source === "archive";
    return isMerged(readOutline(at, place, newReading()));
  };
  const own = epics.filter((epic) => epic.children.some((child) => child.id === record.id));
  const lease = readStoryLease(at, record.id, nowMs);
  return view(record, membershipIn(own, isCompleted), lease, lastRun(at, record.id)?.outcome);
}

interface Membership {
  readonly epicOf: ReadonlyMap<string, string>;
  readonly waitsFor: ReadonlyMap<string, readonly string[]>;
}

function membershipIn(epics: Iterable<Epic>, isCompleted: (id: string) => boolean): Membership {
  const epicOf = new Map<string, string>();
  const waitsFor = new Map<string, readonly string[]>();
  for (const epic of epics) {
    for (const child of epic.children) epicOf.set(child.id, epic.id);
    for (const [id, open] of waitingFor(epicLinks(epic, isCompleted))) waitsFor.set(id, open);
  }
  return { epicOf, waitsFor };
}

function view<R extends StoryOutline>(
  record: R,
  membership: Membership,
  lease: LeaseState | undefined,
  lastOutcome: RunOutcome | undefined,
): StoryView<R> {
  const openBlockers = record.journal === undefined ? [] : parseJournal(record.journal).open;
  const waitsFor = membership.waitsFor.get(record.id) ?? [];
  const state = storyState({
    status: record.story.status,
    tasks: record.tasks,
    waitsFor,
    openBlockers: openBlockers.length,
    worker: lease?.life ?? "none",
    isSilent: false,
    lastOutcome,
    hasUnmergedWork: record.source === "worktree",
  });
  const epicId = record.story.epic ?? membership.epicOf.get(record.id);
  return { record, state, epicId, waitsFor, openBlockers, lease };
}

export const storyLease = (storyId: string): string => `story.${storyId}`;

export const readStoryLease = (at: Layout, id: string, nowMs: number): LeaseState | undefined =>
  readLease(join(leasesFolder(at), storyLease(id)), storyLease(id), nowMs);

function viewEpics(
  epics: ReadonlyMap<string, Epic>,
  stories: ReadonlyMap<string, StoryView>,
  archived: ReadonlySet<string>,
): Map<string, EpicView> {
  const stateOf = (id: string): StoryState =>
    archived.has(id) ? "completed" : (stories.get(id)?.state ?? "pending");
  return new Map(
    [...epics].map(([id, epic]) => [
      id,
      { epic, status: epicStatus(epic.children.map((child) => stateOf(child.id))) },
    ]),
  );
}

/** Completed in the project's own copy: a worktree's copy says so before it is merged. */
const isMerged = (record: StoryOutline | undefined): boolean =>
  record?.source === "project" && record.story.status === "completed";

const namesIn = (folder: string): Set<string> =>
  new Set(listFolder(folder).map((entry) => entry.name));

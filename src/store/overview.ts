// A project at a glance: every story with the state that people see. Read once, in one pass.

import { join } from "node:path";
import type { Problem } from "../errors.ts";
import { listFolder } from "../machine/files.ts";
import type { Epic } from "../story/epic.ts";
import type { Status } from "../story/status.ts";
import { waitingFor } from "../story/graph.ts";
import { parseJournal, type JournalEntry } from "../story/journal.ts";
import { possibleEpics } from "../story/names.ts";
import type { Story } from "../story/story.ts";
import { epicLinks, epicStatus, storyState, type StoryState } from "../story/state.ts";
import { workerIn } from "./claimants.ts";
import { leasesFolder, runsFolder, type Layout } from "./layout.ts";
import { readLease, type LeaseState } from "./lease.ts";
import { findArchived, findStories, findStory, newReading, epicIds } from "./find.ts";
import { readEpics, readOutline, type StoryOutline, type StoryRecord } from "./read.ts";
import { lastOutcome, lastRunOf, NO_RUN, type LastRun } from "./runs.ts";

export interface StoryView<R extends StoryOutline = StoryOutline> {
  readonly record: R;
  readonly state: StoryState;
  readonly epicId: string | undefined;
  readonly waitsFor: readonly string[];
  /** Its epic cannot be read, so nobody knows what comes first. */
  readonly isEpicBroken: boolean;
  readonly openBlockers: readonly JournalEntry[];
  readonly lease: LeaseState | undefined;
  readonly lastRun: LastRun;
}

export interface EpicView {
  readonly epic: Epic;
  readonly status: Status;
}

export interface Overview {
  readonly epics: ReadonlyMap<string, EpicView>;
  readonly stories: ReadonlyMap<string, StoryView>;
  readonly archived: ReadonlySet<string>;
  /** Stories in the older markdown form, which are not read. */
  readonly legacy: readonly string[];
  readonly problems: readonly Problem[];
}

/** Only these stories, when they are named; those that an epic's others wait for must be among them. */
export function readOverview(at: Layout, nowMs: number, only?: ReadonlySet<string>): Overview {
  const reading = newReading();
  const records = new Map<string, StoryOutline>();
  for (const place of findStories(at, reading).values()) {
    if (only && !only.has(place.id)) continue;
    const record = readOutline(at, place, reading);
    if (record) records.set(place.id, record);
  }
  const archived = new Set(findArchived(at, reading));
  const epics = new Map([...readEpics(at, reading)].map(([id, { epic }]) => [id, epic]));
  const broken = new Set(epicIds(at).filter((id) => !epics.has(id)));
  const hasRun = namesIn(runsFolder(at));
  const isCompleted = (id: string): boolean =>
    archived.has(id) ||
    isMerged(records.get(id)) ||
    (hasRun.has(id) && lastOutcome(at, id, nowMs) === "merged");
  const membership = membershipIn(epics, broken, isCompleted);

  const hasLease = namesIn(leasesFolder(at));
  const stories = new Map<string, StoryView>();
  for (const [id, record] of records) {
    const lease = hasLease.has(storyLease(id)) ? readStoryLease(at, id, nowMs) : undefined;
    const last = hasRun.has(id) ? lastRunOf(at, id, nowMs) : NO_RUN;
    stories.set(id, view(record, membership, lease, last));
  }
  const { problems, legacy } = reading;
  return { epics: viewEpics(epics, stories, archived), stories, archived, problems, legacy };
}

/** Its worker died over it: nobody has stopped it, and it has told nobody how it ended. */
export const wasCutOff = ({ state, lastRun }: Pick<StoryView, "state" | "lastRun">): boolean =>
  state === "interrupted" && lastRun.isOpen;

/** The same for one story, reading no more than the epics and what it waits for. */
export function viewStory(at: Layout, record: StoryRecord, nowMs: number): StoryView<StoryRecord> {
  const epics = new Map([...readEpics(at, newReading())].map(([id, { epic }]) => [id, epic]));
  const broken = new Set(epicIds(at).filter((id) => !epics.has(id)));
  const isCompleted = (id: string): boolean => {
    const place = findStory(at, id);
    if (lastOutcome(at, id, nowMs) === "merged") return true;
    if (place?.source !== "project") return place?.source === "archive";
    return isMerged(readOutline(at, place, newReading()));
  };
  const own = [...epics].filter(([, epic]) =>
    epic.children.some((child) => child.id === record.id),
  );
  const membership = membershipIn(new Map(own), broken, isCompleted, new Set(epics.keys()));
  const lease = readStoryLease(at, record.id, nowMs);
  return view(record, membership, lease, lastRunOf(at, record.id, nowMs));
}

interface Membership {
  readonly epicOf: (story: Story) => string | undefined;
  readonly isEpicBroken: (story: Story) => boolean;
  readonly waitsFor: ReadonlyMap<string, readonly string[]>;
}

function membershipIn(
  epics: ReadonlyMap<string, Epic>,
  broken: ReadonlySet<string>,
  isCompleted: (id: string) => boolean,
  readable: ReadonlySet<string> = new Set(epics.keys()),
): Membership {
  const home = new Map<string, string>();
  const waitsFor = new Map<string, readonly string[]>();
  for (const epic of epics.values()) {
    for (const child of epic.children) home.set(child.id, epic.id);
    for (const [id, open] of waitingFor(epicLinks(epic, isCompleted))) waitsFor.set(id, open);
  }
  // A story whose epic cannot be read may still be known by its name.
  const epicOf = (story: Story): string | undefined =>
    story.epic ?? home.get(story.id) ?? possibleEpics(story.id).find((id) => broken.has(id));
  const isEpicBroken = (story: Story): boolean => {
    const epicId = epicOf(story);
    return epicId !== undefined && !readable.has(epicId);
  };
  return { epicOf, isEpicBroken, waitsFor };
}

function view<R extends StoryOutline>(
  record: R,
  membership: Membership,
  lease: LeaseState | undefined,
  lastRun: LastRun,
): StoryView<R> {
  const openBlockers = record.journal === undefined ? [] : parseJournal(record.journal).open;
  const waitsFor = membership.waitsFor.get(record.id) ?? [];
  const isEpicBroken = membership.isEpicBroken(record.story);
  const state = storyState({
    status: record.story.status,
    tasks: record.tasks,
    waitsFor,
    isEpicBroken,
    openBlockers: openBlockers.length,
    worker: workerIn(lease),
    isSilent: lastRun.isSilent,
    lastOutcome: lastRun.outcome,
    hasUnmergedWork: record.source === "worktree",
  });
  const epicId = membership.epicOf(record.story);
  return {
    record: lastRun.outcome === "merged" ? asMerged(record) : record,
    state,
    epicId,
    waitsFor,
    isEpicBroken,
    openBlockers,
    lease,
    lastRun,
  };
}

/**
 * Nothing is merged before all of it is completed. The project's own copy says so only when the person has
 * brought their checkout up to date, and is theirs: it is shown so, not changed.
 */
const asMerged = <R extends StoryOutline>(record: R): R => ({
  ...record,
  story: { ...record.story, status: "completed" },
  tasks: record.tasks.map((task) => ({ ...task, status: "completed" })),
});

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

// Every story and epic of a project with the state that people see, read in one pass.

import { join } from "node:path";
import type { Problem } from "../../errors.ts";
import type { Epic } from "../../story/definition/epic.ts";
import type { Status } from "../../story/definition/status.ts";
import { waitingFor } from "../../story/definition/graph.ts";
import { parseJournal, type JournalEntry } from "../../story/definition/journal.ts";
import { possibleEpics } from "../../story/definition/names.ts";
import type { Story } from "../../story/definition/story.ts";
import {
  epicLinks,
  epicStatus,
  hasBegun,
  storyState,
  type StoryState,
} from "../../story/state/state.ts";
import { workerState } from "../leases/lease-purpose.ts";
import { knownRefs, type KnownRefs } from "../project/known-refs.ts";
import { unmergedEpics } from "../project/epic-notes.ts";
import { isWorktree, worktreesFolder, type Layout } from "../project/layout.ts";
import { storyLease } from "../leases/lease-names.ts";
import type { LeaseLook, LeaseState } from "../leases/leases.ts";
import { findArchived, findStories, findStory, newReading, epicIds } from "../project/find.ts";
import { recordsReader, type OwnRecords } from "../runs/own-records.ts";
import { readEpics, readOutline, type StoryOutline, type StoryRecord } from "../project/read.ts";
import { lastRunOf, type LastRun } from "../runs/last-run.ts";

export interface StoryView<R extends StoryOutline = StoryOutline> {
  readonly record: R;
  readonly state: StoryState;
  readonly epicId: string | undefined;
  readonly waitsFor: readonly string[];
  /** Its epic cannot be read, so its dependencies are unknown. */
  readonly isEpicBroken: boolean;
  readonly openBlockers: readonly JournalEntry[];
  readonly lease: LeaseState | undefined;
  readonly lastRun: LastRun;
  /** It has a branch but no worktree: its work is on the branch, and its files do not show it. */
  readonly isWorktreeGone: boolean;
}

export interface EpicView {
  readonly epic: Epic;
  readonly status: Status;
  /** All its stories are on its branch, which is not merged yet: `saga merge <epic>`. */
  readonly awaitsMerge: boolean;
}

export interface Overview {
  readonly epics: ReadonlyMap<string, EpicView>;
  readonly stories: ReadonlyMap<string, StoryView>;
  readonly archived: ReadonlySet<string>;
  /** Stories in the old markdown format, which are not read. */
  readonly legacy: readonly string[];
  readonly problems: readonly Problem[];
}

export interface OverviewOptions {
  readonly nowMs: number;
  readonly leaseOf: LeaseLook;
  /** Only these stories. They must include the dependencies within their epics. */
  readonly only?: ReadonlySet<string> | undefined;
}

export function readOverview(at: Layout, { nowMs, leaseOf, only }: OverviewOptions): Overview {
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
  const refs = knownRefs(at);
  const own = recordsReader(at, { nowMs, refs, reading, leaseOf });
  const isCompleted = (id: string): boolean =>
    archived.has(id) || isMerged(records.get(id)) || own(id)?.lastRun.outcome === "merged";
  const membership = membershipIn(epics, broken, isCompleted);

  const hasLostWorktree = lostWorktrees(at, refs);
  const stories = new Map<string, StoryView>();
  for (const [id, record] of records) {
    const context = own(id);
    if (context) stories.set(id, viewRecord(record, membership, { ...context, hasLostWorktree }));
  }
  const { problems, legacy } = reading;
  const isUnmerged = unmergedEpics(at);
  return {
    epics: viewEpics(epics, stories, { archived, isUnmerged }),
    stories,
    archived,
    problems,
    legacy,
  };
}

/** The worker died during a run, or ended with its session or the machine. */
export const wasKilled = ({ state, lastRun }: Pick<StoryView, "state" | "lastRun">): boolean =>
  state === "killed" && (lastRun.isOpen || lastRun.outcome === "killed");

/** The same for one story. Reads only the epics and the stories that it waits for. */
export function viewStory(
  at: Layout,
  record: StoryRecord,
  { nowMs, leaseOf }: Pick<OverviewOptions, "nowMs" | "leaseOf">,
): StoryView<StoryRecord> {
  const epics = new Map([...readEpics(at, newReading())].map(([id, { epic }]) => [id, epic]));
  const broken = new Set(epicIds(at).filter((id) => !epics.has(id)));
  const refs = knownRefs(at);
  // An unreadable file of another story is not this story's problem.
  const others = recordsReader(at, { nowMs, refs, reading: newReading() });
  const isCompleted = (id: string): boolean => {
    const place = findStory(at, id);
    if (others(id)?.lastRun.outcome === "merged") return true;
    if (place?.source !== "project") return place?.source === "archive";
    return isMerged(readOutline(at, place, newReading()));
  };
  const own = [...epics].filter(([, epic]) =>
    epic.children.some((child) => child.id === record.id),
  );
  const membership = membershipIn(new Map(own), broken, isCompleted, new Set(epics.keys()));
  const lease = leaseOf(storyLease(record.id));
  const lastRun = lastRunOf(at, record.id, { nowMs, refs });
  return viewRecord(record, membership, {
    lease,
    lastRun,
    hasLostWorktree: lostWorktrees(at, refs),
  });
}

export interface Membership {
  readonly epicOf: (story: Story) => string | undefined;
  readonly isEpicBroken: (story: Story) => boolean;
  readonly waitsFor: ReadonlyMap<string, readonly string[]>;
}

export function membershipIn(
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
  // The name of a story may tell its epic even when the epic cannot be read.
  const epicOf = (story: Story): string | undefined =>
    story.epic ?? home.get(story.id) ?? (broken.size === 0 ? undefined : brokenEpicOf(story.id));
  const brokenEpicOf = (id: string): string | undefined =>
    possibleEpics(id).find((epicId) => broken.has(epicId));
  const isEpicBroken = (story: Story): boolean => {
    const epicId = epicOf(story);
    return epicId !== undefined && !readable.has(epicId);
  };
  return { epicOf, isEpicBroken, waitsFor };
}

export interface ViewFacts extends OwnRecords {
  readonly hasLostWorktree: (storyId: string) => boolean;
}

/** Whether a story has a branch but no worktree folder. The files inside the worktree do not matter. */
export const lostWorktrees =
  (at: Layout, refs: KnownRefs) =>
  (id: string): boolean =>
    refs.hasBranch(id) && !isWorktree(join(worktreesFolder(at), id));

/** Pure, so that a cache can recompute it when one of the facts has changed. */
export function viewRecord<R extends StoryOutline>(
  record: R,
  membership: Membership,
  { lease, lastRun, hasLostWorktree }: ViewFacts,
): StoryView<R> {
  const openBlockers = record.journal === undefined ? [] : parseJournal(record.journal).open;
  const waitsFor = membership.waitsFor.get(record.id) ?? [];
  const isEpicBroken = membership.isEpicBroken(record.story);
  const isElsewhere = record.source === "project" && record.story.status !== "completed";
  const isWorktreeGone = isElsewhere && lastRun.outcome !== "merged" && hasLostWorktree(record.id);
  const isOver = record.source === "archive" || lastRun.outcome === "merged";
  const derived = storyState({
    status: record.story.status,
    tasks: record.tasks,
    waitsFor,
    isEpicBroken,
    openBlockers: openBlockers.length,
    worker: workerState(lease),
    isSilent: lastRun.isSilent,
    lastOutcome: lastRun.outcome,
    hasRun: lastRun.id !== undefined,
    hasOpenRun: lastRun.isWorkers && lastRun.outcome === undefined,
    isWorktreeGone,
    hasUnmergedWork: hasOpenCopy(record),
  });
  // Only completed stories are archived. The file of one that was merged at the remote may be older.
  const state = record.source === "archive" ? "completed" : derived;
  const epicId = membership.epicOf(record.story);
  return {
    record: isOver ? asMerged(record) : record,
    state,
    epicId,
    waitsFor: state === "completed" ? [] : waitsFor,
    isEpicBroken,
    openBlockers,
    lease,
    lastRun,
    isWorktreeGone,
  };
}

/**
 * A merged story is completed. The copy in the person's checkout says so only after they update it, and is not Saga's
 * to change: the view shows it as completed.
 */
const asMerged = <R extends StoryOutline>(record: R): R => ({
  ...record,
  story: { ...record.story, status: "completed" },
  tasks: record.tasks.map((task) => ({ ...task, status: "completed" })),
});

function viewEpics(
  epics: ReadonlyMap<string, Epic>,
  stories: ReadonlyMap<string, StoryView>,
  {
    archived,
    isUnmerged,
  }: { readonly archived: ReadonlySet<string>; readonly isUnmerged: (epicId: string) => boolean },
): Map<string, EpicView> {
  const progressOf = (id: string): { readonly state: StoryState; readonly isBegun: boolean } => {
    const found = stories.get(id);
    if (archived.has(id)) return { state: "completed", isBegun: true };
    return { state: found?.state ?? "pending", isBegun: found !== undefined && isBegun(found) };
  };
  return new Map(
    [...epics].map(([id, epic]) => {
      const children = epic.children.map((child) => progressOf(child.id));
      const awaitsMerge = epicStatus(children) === "completed" && isUnmerged(id);
      return [id, { epic, status: epicStatus(children, epic.persistent), awaitsMerge }];
    }),
  );
}

/** Work on the story has begun, whether or not it can continue. */
export const isBegun = ({ record, isWorktreeGone }: StoryView): boolean =>
  isWorktreeGone ||
  hasOpenCopy(record) ||
  hasBegun({ status: record.story.status, tasks: record.tasks });

/** Its work is in a worktree, here or on another machine. */
const hasOpenCopy = ({ source }: Pick<StoryOutline, "source">): boolean =>
  source === "worktree" || source === "elsewhere";

/** A command is merging it. Its state is `running` then, because that command owns it. */
export const isMerging = ({ lease }: Pick<StoryView, "lease">): boolean =>
  lease?.life === "alive" && lease.record.purpose === "merge";

/** It has begun and is not merged. */
export const isOpenWork = (view: StoryView): boolean => view.state !== "completed" && isBegun(view);

/** Completed in the project's copy. The worktree's copy says so before the merge. */
export const isMerged = (record: StoryOutline | undefined): boolean =>
  record?.source === "project" && record.story.status === "completed";

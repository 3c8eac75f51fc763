// What the rest of Saga sees of the files. Everything is a promise, so that leases and claims can
// live in a database one day while definitions stay in git.

import type { Problem } from "../errors.ts";
import type { Epic } from "../story/definition/epic.ts";
import type { EpicsSnapshot } from "../story/state/epics-snapshot.ts";
import type { Journal, NewEntry, JournalEntry } from "../story/definition/journal.ts";
import type { Plan } from "../story/plan/plan.ts";
import type { Run } from "../story/state/run.ts";
import type { Settings } from "../story/settings/settings.ts";
import type { Story } from "../story/definition/story.ts";
import type { Status } from "../story/definition/status.ts";
import type { SplitResult } from "../story/plan/split.ts";
import type { StagedFile } from "../story/plan/stage.ts";
import type { DefinitionFile, DefinitionName, NewText } from "./write/definition-file.ts";
import type { EpicNotes } from "./project/epic-notes.ts";
import type { Fields } from "./project/json-text.ts";
import type { Acquired, LeaseRequest, LeaseState } from "./leases/lease.ts";
import type { Overview, StoryView } from "./views/overview.ts";
import type { EpicRecord, StoryRecord } from "./project/read.ts";
import type { Removed, RemoveOptions } from "./write/remove.ts";
import type { EventPage, RunLog } from "./runs/runs.ts";
import type { Survey } from "./views/survey.ts";
import type { Validation } from "./views/validate.ts";

export interface Store {
  readonly project: string;
  readonly settings: () => Promise<Settings>;
  /** The project's own template for what agents are told; undefined when it has none. */
  readonly promptTemplate: () => Promise<string | undefined>;

  /** Every story, or those that are named, and every epic; what is broken is listed, and hides nothing else. */
  readonly overview: (only?: ReadonlySet<string>) => Promise<Overview>;
  /** The facts behind it, each by itself: for whoever keeps them, and reads again only what changed. */
  readonly survey: Survey;
  readonly validate: () => Promise<Validation>;
  readonly readStory: (storyId: string) => Promise<StoryRecord>;
  readonly viewStory: (storyId: string) => Promise<StoryView<StoryRecord>>;
  readonly readEpic: (epicId: string) => Promise<EpicRecord>;

  /** Everything in the plan or, with problems, nothing. */
  readonly stage: (plan: Plan, options: StageOptions) => Promise<Staged>;
  /** The change is given the file as it stands; what it leaves alone, unknown fields too, stays. */
  readonly updateStory: (storyId: string, change: FieldsChange) => Promise<Story>;
  /** One more task, which must not be there yet. Returns it as written: with its place behind the others. */
  readonly addTask: (storyId: string, task: Readonly<Fields>) => Promise<Readonly<Fields>>;
  readonly setTaskStatus: (storyId: string, taskId: string, status: Status) => Promise<void>;
  /** Decided from the tasks as they stand, and written whole or not at all. */
  readonly splitTask: (
    storyId: string,
    decide: DecideSplit,
    /** For the journal, with the names of the new tasks. */
    say: (into: readonly string[]) => NewEntry,
  ) => Promise<SplitResult>;
  readonly updateEpic: (epicId: string, change: FieldsChange) => Promise<Epic>;
  /** The text of what defines a story, an epic or a task, and another one in its place once it is valid. */
  readonly readDefinition: (name: DefinitionName) => Promise<DefinitionFile>;
  readonly writeDefinition: (name: DefinitionName, text: NewText) => Promise<readonly Problem[]>;
  /** Its files move to `.saga/removed`. */
  readonly remove: (name: DefinitionName, options: RemoveOptions) => Promise<Removed>;
  /** Beside git's own files, where no checkout is changed by it. */
  readonly noteEpic: (epicId: string, notes: EpicNotes) => Promise<void>;
  /** Moves finished stories to the archive; all are judged before any is moved. */
  readonly archive: (storyIds: readonly string[]) => Promise<readonly Archived[]>;
  readonly unarchive: (storyIds: readonly string[]) => Promise<readonly Archived[]>;

  /** Moves the truth about a story into its worktree, whole or not at all. */
  readonly carryStory: (storyId: string, worktree: string) => Promise<void>;

  /** The project gets a story back that only its worktree has. */
  readonly reclaimStory: (storyId: string) => Promise<void>;
  /** Everything is pending again in the project's own copy, and its journal says why, once. */
  readonly resetStory: (storyId: string, entry: NewEntry) => Promise<void>;
  /** `.saga/epics.json`, for whoever has nothing else to look at. */
  readonly writeEpicsSnapshot: () => Promise<EpicsSnapshot>;

  readonly readJournal: (storyId: string) => Promise<Journal>;
  readonly appendJournal: (storyId: string, entry: NewEntry) => Promise<JournalEntry>;

  readonly startRun: (storyId: string, start?: Partial<Run>) => Promise<RunLog>;
  readonly openRun: (run: Run) => Promise<RunLog>;
  /** Forgets the oldest runs of a story beyond so many. */
  readonly pruneRuns: (storyId: string, keep: number) => Promise<void>;
  /** Newest first; those that are given are taken as they are. */
  readonly listRuns: (storyId: string, known?: ReadonlyMap<string, Run>) => Promise<readonly Run[]>;
  readonly readEvents: (storyId: string, runId: string, fromOffset?: number) => Promise<EventPage>;

  readonly leases: Leases;
}

export interface Leases {
  readonly acquire: (name: string, request: Omit<LeaseRequest, "now">) => Promise<Acquired>;
  readonly read: (name: string) => Promise<LeaseState | undefined>;
  /** One that cannot be read is told to whoever wants to see the others all the same; else it is an error. */
  readonly list: (onProblem?: (problem: Problem) => void) => Promise<readonly LeaseState[]>;
}

export type FieldsChange = (fields: Readonly<Fields>) => Fields;

/** Given the tasks of the story by id, as their files have them. */
export type DecideSplit = (tasks: ReadonlyMap<string, Readonly<Fields>>) => SplitResult;

export interface StageOptions {
  readonly canUpdate: boolean;
  /** Where the plan came from, for the problems: its name, and its text when there is one. */
  readonly source: { readonly name: string; readonly text?: string | undefined };
  readonly isDryRun?: boolean;
}

export interface Staged {
  readonly files: readonly StagedFile[];
  readonly problems: readonly Problem[];
}

export interface Archived {
  readonly id: string;
  readonly folder: string;
  readonly wasThere: boolean;
}

// The interface to everything that is stored. All methods are asynchronous, so that leases and claims could move to
// a database while definitions stay in git.

import type { Problem } from "../errors.ts";
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
import type { Elsewhere } from "./elsewhere/elsewhere.ts";
import type { Leases } from "./leases/leases.ts";
import type { Overview, StoryView } from "./views/overview.ts";
import type { EpicRecord, StoryRecord } from "./project/read.ts";
import type { Removed, RemoveOptions } from "./write/remove.ts";
import type { OpenWorks } from "./early-warning/open-works.ts";
import type { LandingQueue } from "./queue/queue.ts";
import type { EventPage, RunLog } from "./runs/runs.ts";
import type { Survey } from "./views/overview-facts.ts";
import type { Validation } from "./views/validate.ts";

export interface Store {
  readonly project: string;
  readonly settings: () => Promise<Settings>;
  /** The project's template for the prompt of agents. Undefined when it has none. */
  readonly promptTemplate: () => Promise<string | undefined>;

  /** Every epic, and every story or only those named. A broken file is listed as a problem and hides no other. */
  readonly overview: (only?: ReadonlySet<string>) => Promise<Overview>;
  /** The same facts in parts, for a reader that caches them and reads only what changed. */
  readonly survey: Survey;
  readonly validate: () => Promise<Validation>;
  readonly readStory: (storyId: string) => Promise<StoryRecord>;
  readonly viewStory: (storyId: string) => Promise<StoryView<StoryRecord>>;
  readonly readEpic: (epicId: string) => Promise<EpicRecord>;

  /** Writes everything in the plan or, if there are errors, nothing. */
  readonly stage: (plan: Plan, options: StageOptions) => Promise<Staged>;
  /** `change` gets the current fields of the file. Fields that it does not touch, unknown ones too, stay. */
  readonly updateStory: (storyId: string, change: FieldsChange) => Promise<Story>;
  /** Adds a task after the others. Returns it as written, with its order. The id must be new. */
  readonly addTask: (storyId: string, task: Readonly<Fields>) => Promise<Readonly<Fields>>;
  readonly setTaskStatus: (storyId: string, taskId: string, status: Status) => Promise<void>;
  /** Decides from the current tasks, and writes all of the split or nothing. */
  readonly splitTask: (
    storyId: string,
    decide: DecideSplit,
    /** The journal entry, given the ids of the new tasks. */
    entryFor: (into: readonly string[]) => NewEntry,
  ) => Promise<SplitResult>;
  /** The text of the file that defines a story, an epic or a task. A new text is written only if it is valid. */
  readonly readDefinition: (name: DefinitionName) => Promise<DefinitionFile>;
  readonly writeDefinition: (name: DefinitionName, text: NewText) => Promise<readonly Problem[]>;
  /** Moves its files to `.saga/removed`. */
  readonly remove: (name: DefinitionName, options: RemoveOptions) => Promise<Removed>;
  /** Writes notes beside git's files, where they change no checkout. */
  readonly noteEpic: (epicId: string, notes: EpicNotes) => Promise<void>;
  /** Moves finished stories to the archive. Checks all of them before it moves any. */
  readonly archive: (storyIds: readonly string[]) => Promise<readonly Archived[]>;
  readonly unarchive: (storyIds: readonly string[]) => Promise<readonly Archived[]>;

  /** Copies a story into its worktree, which has the current copy from then on. */
  readonly copyStoryToWorktree: (storyId: string, worktree: string) => Promise<void>;

  /** Copies a story that exists only in its worktree back to the project. */
  readonly reclaimStory: (storyId: string) => Promise<void>;
  /** Sets everything to pending in the project's copy, and adds the journal entry, if there is one, once. */
  readonly resetStory: (storyId: string, entry: NewEntry | undefined) => Promise<void>;
  /** Writes `.saga/epics.json`, for programs that do not use Saga's commands. */
  readonly writeEpicsSnapshot: () => Promise<EpicsSnapshot>;

  readonly readJournal: (storyId: string) => Promise<Journal>;
  readonly appendJournal: (storyId: string, entry: NewEntry) => Promise<JournalEntry>;

  readonly startRun: (storyId: string, start?: Partial<Run>) => Promise<RunLog>;
  readonly openRun: (run: Run) => Promise<RunLog>;
  /** Deletes the oldest runs of a story, except the newest `keep`. */
  readonly pruneRuns: (storyId: string, keep: number) => Promise<void>;
  /** Newest first. Runs in `known` are not read again. */
  readonly listRuns: (storyId: string, known?: ReadonlyMap<string, Run>) => Promise<readonly Run[]>;
  readonly readEvents: (storyId: string, runId: string, fromOffset?: number) => Promise<EventPage>;

  readonly leases: Leases;
  /** Of this machine alone, also on a member of a fleet. */
  readonly localLeases: Leases;
  /** What waits to land on each target branch. */
  readonly queue: LandingQueue;
  readonly elsewhere: Elsewhere;
  /** What unmerged stories have changed, and what they would conflict with. */
  readonly openWorks: OpenWorks;
}

/** What the machines of a fleet can share. */
export interface Shareable {
  readonly leases: Leases;
  readonly queue: LandingQueue;
}

/** Adds what is shared to what this machine has. */
export type Share = (local: Shareable) => Shareable;

export type FieldsChange = (fields: Readonly<Fields>) => Fields;

/** Gets the fields of the story's tasks by id, as they are in the files. */
export type DecideSplit = (tasks: ReadonlyMap<string, Readonly<Fields>>) => SplitResult;

export interface StageOptions {
  readonly canUpdate: boolean;
  /** Where the plan came from, for reporting problems: its name and, if known, its text. */
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

// The lanes of a project: what waits to land on each target branch, what lands right now, and what landed before.
//
// An entry stays until it has an outcome, also when the process that waits for it dies: then the next process that
// lands takes it along. The owner of the lane's lease is the only one that settles entries.
//
// The machines of a fleet share the lanes at the remote. Any of them may land an entry of another one; what belongs to the
// entry's own machine (its worktree, its records, its answer to a person) is done there, once it sees that it landed.

import type { Ahead } from "../../story/landing/check-ahead.ts";
import type { Entry, Lane, EntryRequest } from "../../story/landing/entry.ts";
import type { LandedBatch, LandingNow } from "../../story/landing/history.ts";
import type { Landed } from "../../story/landing/landed.ts";

/** Sees the changes since it was opened. */
export interface LaneWatch {
  /** Resolves after a change since it last resolved, or after `timeoutMs`. */
  readonly next: (timeoutMs: number, stop?: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

export interface LandingQueue {
  /** The entry that already waits under that kind and name in the lane, or a new one. */
  readonly enqueue: (entry: EntryRequest) => Promise<Entry>;
  /** The lanes that have entries or a history. */
  readonly lanes: () => Promise<readonly Lane[]>;
  /** Who holds the entry; undefined if it is not held. */
  readonly holder: (entry: Entry) => Promise<string | undefined>;
  /** By arrival. */
  readonly list: (lane: Lane) => Promise<readonly Entry[]>;
  /** False if the entry is gone. */
  readonly setHold: (entry: Entry, heldBy: string | undefined) => Promise<boolean>;
  /** By the lander: removes the entry, and keeps the outcome for the processes that wait for it. */
  readonly settle: (entry: Entry, outcome: unknown) => Promise<void>;
  /**
   * By others: removes the entry, unless it has an outcome. False if its lander has marked it before: then the lander
   * decides, and may land it.
   */
  readonly withdraw: (entry: Entry, outcome: unknown) => Promise<boolean>;
  /** By the lander, right before the target moves. False if the entry was withdrawn or is held. */
  readonly markLanding: (entry: Entry) => Promise<boolean>;
  /** By the lander: its marks, and those of a killed one. */
  readonly unmarkLanding: (lane: Lane) => Promise<void>;
  readonly hasMarks: (lane: Lane) => Promise<boolean>;
  readonly outcome: (entry: Entry) => Promise<{ readonly value: unknown } | undefined>;

  /** What its lander does. The caller checks whether the lander is alive. */
  readonly now: (lane: Lane) => Promise<LandingNow | undefined>;
  readonly setNow: (lane: Lane, now: LandingNow | undefined) => Promise<void>;
  /** Batches that are or were verified before their turn. The caller checks whether their processes are alive. */
  readonly aheads: (lane: Lane) => Promise<readonly Ahead[]>;
  readonly setAhead: (lane: Lane, slot: number, ahead: Ahead | undefined) => Promise<void>;
  /** The output of the check that runs now. */
  readonly outputFile: (lane: Lane) => string;
  /** Oldest first. */
  readonly history: (lane: Lane) => Promise<readonly LandedBatch[]>;
  readonly record: (lane: Lane, batch: LandedBatch) => Promise<void>;
  readonly watch: (lane: Lane) => LaneWatch;

  /** The name of this machine, if the machines of a fleet share the lane. */
  readonly machine: (lane: Lane) => Promise<string | undefined>;
  /** By the lander: what it needs to know of an entry of another machine. */
  readonly receive: (entry: Entry) => Promise<void>;
  /** By the lander, for an entry of another machine: it has landed, and its machine settles it. */
  readonly noteLanded: (entry: Entry, landed: Landed) => Promise<void>;
  /** By the lander, for an entry of another machine that it cannot land: that machine does, or says why not. */
  readonly leave: (entry: Entry) => Promise<void>;
  /** What a machine landed for another one, which has not settled it yet. */
  readonly landed: (entry: Entry) => Promise<Landed | undefined>;
  /** Those of this machine. */
  readonly unsettled: (lane: Lane) => Promise<readonly Entry[]>;
}

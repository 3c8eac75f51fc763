// The lanes of a project: what waits to land on each target branch, what lands right now, and what landed before.
//
// An entry stays until it has an outcome, also when the process that waits for it dies: then the next process that
// lands takes it along. The owner of the lane's lease is the only one that settles entries.

import type { Entry, Lane } from "../../story/landing/entry.ts";
import type { LandedBatch, LandingNow } from "../../story/landing/history.ts";

export interface LandingQueue {
  /** The entry that already waits under that kind and name in the lane, or a new one. */
  readonly enqueue: (entry: Omit<Entry, "id" | "enqueuedAt">) => Promise<Entry>;
  /** The lanes that have entries or a history. */
  readonly lanes: () => Promise<readonly Lane[]>;
  /** By arrival. */
  readonly list: (lane: Lane) => Promise<readonly Entry[]>;
  /** False if the entry is gone. */
  readonly setHold: (entry: Entry, heldBy: string | undefined) => Promise<boolean>;
  /** Removes the entry, and keeps the outcome for the processes that wait for it. */
  readonly settle: (entry: Entry, outcome: unknown) => Promise<void>;
  readonly outcome: (entry: Entry) => Promise<{ readonly value: unknown } | undefined>;

  /** What its lander does. The caller checks whether the lander is alive. */
  readonly now: (lane: Lane) => Promise<LandingNow | undefined>;
  readonly setNow: (lane: Lane, now: LandingNow | undefined) => Promise<void>;
  /** The output of the check that runs now. */
  readonly outputFile: (lane: Lane) => string;
  /** Oldest first. */
  readonly history: (lane: Lane) => Promise<readonly LandedBatch[]>;
  readonly record: (lane: Lane, batch: LandedBatch) => Promise<void>;
  /** Resolves when something in the lane changed, or after `timeoutMs`. */
  readonly changed: (lane: Lane, timeoutMs: number, stop?: AbortSignal) => Promise<void>;
}

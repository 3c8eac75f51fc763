// What the page shows of landing: the lanes, what their landers do, and the conflicts that merges would meet. Types only.

import type { ConflictAhead } from "../../story/early-warning/conflicts-ahead.ts";
import type { LaneEntry } from "../../story/landing/lane-view.ts";
import type { LandingNow } from "../../story/landing/history.ts";

/** One target branch, by the name of its lane. */
export interface LaneCard {
  readonly id: string;
  /** What people call the target: `main`, `origin/main`, `main on GitHub (owner/name)`. */
  readonly target: string;
  /** Whether a process is merging. */
  readonly hasLander: boolean;
  /** What it does, once it has chosen a batch. */
  readonly now?: Omit<LandingNow, "output"> | undefined;
  readonly entries: readonly LaneEntryCard[];
  /** Newest first. */
  readonly recent: readonly BatchCard[];
  readonly checks: { readonly run: number; readonly saved: number };
  /** Commands that failed and passed on the same code. */
  readonly flaky: readonly string[];
}

export interface LaneEntryCard extends Omit<LaneEntry, "etaMs"> {
  /** When it has landed, if everything passes. Absolute, so that the card does not change with the time. */
  readonly landsAt?: string | undefined;
  /** The same while no process is merging, from when one does. */
  readonly etaMs?: number | undefined;
}

export interface BatchCard {
  readonly at: string;
  readonly ms: number;
  readonly landed: readonly string[];
  /** The entry that turned the checks red, and left the batch. */
  readonly ejected?: string | undefined;
  /** The target's commit afterwards. */
  readonly commit: string;
  readonly checksRun: number;
  readonly checksReused: number;
  readonly hasFlaky: boolean;
}

/** A pair of stories, or a story and its target. */
export interface ConflictCard extends ConflictAhead {
  /** Of the files, those that are not listed. */
  readonly moreFiles: number;
}

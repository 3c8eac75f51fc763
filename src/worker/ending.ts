// How the work on a story ends: the outcomes with their reasons, and which of them the run records.

import { messageWithHint } from "../errors.ts";
import type { Limit, RunOutcome } from "../story/state/state.ts";

export interface StoryEnd {
  readonly outcome: RunOutcome;
  readonly reason: string;
  /** Which limit was reached, if the outcome is `limit`. */
  readonly limit?: Limit | undefined;
}

export const STOPPED: StoryEnd = { outcome: "stopped", reason: "Stopped by you." };

export const STOPPED_BEFORE_START: StoryEnd = {
  outcome: "stopped",
  reason: "Stopped before the work began.",
};

export const STOPPED_BEFORE_GATE: StoryEnd = {
  outcome: "stopped",
  reason: "Stopped before the gate passed.",
};

export const TAKEN_OVER: StoryEnd = {
  outcome: "failed",
  reason: "Another worker has taken over the story. This worker has written nothing since.",
};

/** In a fleet. */
export const LEASE_LOST: StoryEnd = {
  outcome: "killed",
  reason:
    "This machine could not renew its lease in time, so another one may continue the story. Nothing was pushed since; a snapshot of the work is kept here.",
};

export const NOTHING_CHANGED: StoryEnd = {
  outcome: "blocked",
  reason: "All tasks are marked completed, but no file was changed. A person must confirm that.",
};

export const BLOCKED: StoryEnd = {
  outcome: "blocked",
  reason: "A person has to answer a question first.",
};

const KILLED: StoryEnd = {
  outcome: "killed",
  reason: "Its worker was killed: its session ended or the machine shut down.",
};

export const failed = (reason: string): StoryEnd => ({ outcome: "failed", reason });

export const failedBy = (error: unknown): StoryEnd => failed(messageWithHint(error));

/** A stop has two causes: a person, or the end of the session. */
export const endOfStop = (stopped: StoryEnd, isWanted: boolean): StoryEnd =>
  isWanted ? stopped : KILLED;

/** Work that others cannot see yet is not done. */
export const withPushError = (end: StoryEnd, pushError: string | undefined): StoryEnd =>
  end.outcome === "done" && pushError !== undefined
    ? { outcome: "push-failed", reason: `${end.reason} The push failed: ${pushError}` }
    : end;

// What an epic's run does next, from what is there. Pure: the same facts always give the same answer, so
// that a run which was killed goes on where it was.
//
//   ready, sent-back, stopped, killed, limit, unfinished
//                         started, when there is room and no running story writes the same files
//   running, stalled      left to its worker
//   review                merged, where that is the run's to do; else it waits for a person
//   blocked, failed       for a person; what waits for it waits too
//   waiting, pending      for others, or for nobody ever
//   completed             done

import { isStartable, type StoryState } from "../story/state/state.ts";
import { whyWaiting, type Waiting } from "./waiting.ts";

export interface ScheduledStory {
  readonly id: string;
  readonly state: StoryState;
  /** Stories of the epic that come first and are not completed. */
  readonly waitsFor: readonly string[];
  readonly priority: number;
  /** Why nobody can work on it: it is not there, or its files are broken. */
  readonly fault?: string | undefined;
  /** Why this run leaves it alone: it was tried already, and that did not bring it on. */
  readonly givenUp?: string | undefined;
}

export interface Schedule {
  readonly start: readonly string[];
  readonly merge: readonly string[];
  /** Why each story that waits does so. */
  readonly waiting: readonly Waiting[];
  /** Nothing is going on, and nothing can be begun. */
  readonly isOver: boolean;
}

export interface ScheduleRules {
  readonly parallel: number;
  readonly mayMerge: boolean;
  /** Why nothing is started any more. */
  readonly isSpent?: string | undefined;
  /** Whether two stories may write the same files. */
  readonly overlap: (one: string, other: string) => boolean;
}

const AT_WORK: ReadonlySet<StoryState> = new Set(["running", "stalled"]);

export const isAtWork = (state: StoryState): boolean => AT_WORK.has(state);

/** Of equal urgency, those that more others wait for come first; then in the epic's own order. */
export function schedule(stories: readonly ScheduledStory[], rules: ScheduleRules): Schedule {
  const atWork = stories.filter(({ state }) => AT_WORK.has(state)).map(({ id }) => id);
  const merge = rules.mayMerge
    ? stories
        .filter(({ state, givenUp }) => state === "review" && givenUp === undefined)
        .map(({ id }) => id)
    : [];
  const waiting = (id: string): number =>
    stories.filter(({ waitsFor }) => waitsFor.includes(id)).length;
  const candidates = stories
    .filter(({ state }) => isStartable(state))
    .filter(({ waitsFor, fault, givenUp }) => waitsFor.length === 0 && !fault && !givenUp)
    .toSorted((one, other) => one.priority - other.priority || waiting(other.id) - waiting(one.id));
  const start: string[] = [];
  const held = new Map<string, string>();
  for (const { id } of candidates) {
    const busy = [...atWork, ...start];
    const rival = busy.find((other) => rules.overlap(id, other));
    if (rules.isSpent !== undefined) held.set(id, rules.isSpent);
    else if (busy.length >= rules.parallel) held.set(id, atWorkText(rules.parallel));
    else if (rival !== undefined) held.set(id, `${rival} may write the same files`);
    else start.push(id);
  }
  const isOver = atWork.length === 0 && merge.length === 0 && start.length === 0;
  return { start, merge, waiting: whyWaiting(stories, held), isOver };
}

const atWorkText = (parallel: number): string =>
  parallel === 1 ? "1 is at work" : `${parallel} are at work`;

export interface EpicEnd {
  readonly isDone: boolean;
  /** What needs a person, by story. */
  readonly open: readonly { readonly id: string; readonly state: StoryState }[];
  readonly waiting: readonly Waiting[];
  /** A story, or the run itself, came to its limit. */
  readonly hasReachedLimit: boolean;
  readonly cost?: EpicCost | undefined;
}

export interface EpicCost {
  readonly costUsd: number;
  readonly costIsEstimate: boolean;
  readonly maxUsd: number | undefined;
}

export const endOf = (
  stories: readonly ScheduledStory[],
  { waiting }: Pick<Schedule, "waiting">,
  hasReachedLimit = false,
): EpicEnd => {
  const open = stories.filter(({ state }) => state !== "completed");
  return {
    isDone: open.length === 0,
    open: open.map(({ id, state }) => ({ id, state })),
    waiting,
    hasReachedLimit,
  };
};

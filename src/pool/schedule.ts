// What an epic's run does next, from what is there. Pure: the same facts always give the same answer, so
// that a run which was killed goes on where it was.
//
//   ready, interrupted    started, when there is room and nobody at work writes the same files
//   running, stalled      left to its worker
//   review                merged, where that is the run's to do; else it waits for a person
//   blocked, failed       for a person; what waits for it waits too
//   waiting, pending      for others, or for nobody ever
//   completed             done

import type { StoryState } from "../story/state.ts";

export interface ScheduledStory {
  readonly id: string;
  readonly state: StoryState;
  /** Stories of the epic that come first and are not completed. */
  readonly waitsFor: readonly string[];
  readonly priority: number;
  /** It has been tried in this run already, and that did not bring it on. */
  readonly isGivenUp: boolean;
}

export interface Schedule {
  readonly start: readonly string[];
  readonly merge: readonly string[];
  /** Why a story that could be started is not, by its id. */
  readonly held: ReadonlyMap<string, string>;
  /** Nothing is going on, and nothing can be begun. */
  readonly isOver: boolean;
}

export interface ScheduleRules {
  readonly parallel: number;
  readonly mayMerge: boolean;
  /** Whether two stories may write the same files. */
  readonly overlap: (one: string, other: string) => boolean;
}

const AT_WORK: ReadonlySet<StoryState> = new Set(["running", "stalled"]);
const STARTABLE: ReadonlySet<StoryState> = new Set(["ready", "interrupted"]);

export const isStartable = (state: StoryState): boolean => STARTABLE.has(state);

/** Of equal urgency, those that more others wait for come first; then in the epic's own order. */
export function schedule(stories: readonly ScheduledStory[], rules: ScheduleRules): Schedule {
  const atWork = stories.filter(({ state }) => AT_WORK.has(state)).map(({ id }) => id);
  const merge = rules.mayMerge
    ? stories.filter(({ state, isGivenUp }) => state === "review" && !isGivenUp).map(({ id }) => id)
    : [];
  const waiting = (id: string): number =>
    stories.filter(({ waitsFor }) => waitsFor.includes(id)).length;
  const candidates = stories
    .filter(
      ({ state, waitsFor, isGivenUp }) => isStartable(state) && waitsFor.length === 0 && !isGivenUp,
    )
    .toSorted((one, other) => one.priority - other.priority || waiting(other.id) - waiting(one.id));
  const start: string[] = [];
  const held = new Map<string, string>();
  for (const { id } of candidates) {
    const busy = [...atWork, ...start];
    const rival = busy.find((other) => rules.overlap(id, other));
    if (busy.length >= rules.parallel) held.set(id, `${rules.parallel} are at work`);
    else if (rival !== undefined) held.set(id, `${rival} may write the same files`);
    else start.push(id);
  }
  const isOver = atWork.length === 0 && merge.length === 0 && start.length === 0;
  return { start, merge, held, isOver };
}

export interface EpicEnd {
  readonly isDone: boolean;
  /** What needs a person, by story. */
  readonly open: readonly { readonly id: string; readonly state: StoryState }[];
}

export const endOf = (stories: readonly ScheduledStory[]): EpicEnd => {
  const open = stories.filter(({ state }) => state !== "completed");
  return { isDone: open.length === 0, open: open.map(({ id, state }) => ({ id, state })) };
};

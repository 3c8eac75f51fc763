// What an epic's run does next. Pure: the same facts give the same answer, so a killed run can simply be started
// again.
//
//   ready, sent-back, stopped, killed, limit, unfinished
//                         started, when there is room and it may run beside the others (overlap.ts)
//   running, stalled      left to its worker
//   review                merged if the run may merge; otherwise waits for a person. While it is merged, others start
//   blocked, failed       waits for a person, and its dependents with it
//   waiting, pending      waits for other stories, or cannot start at all
//   completed             done

import { isRunning, isStartable, type StoryState } from "../story/state/state.ts";

import { overlapText, type OverlapReason } from "./overlap.ts";
import { waitingStories, type WaitingStory } from "./waiting-reason.ts";

export interface ScheduledStory {
  readonly id: string;
  readonly state: StoryState;
  /** It is being merged, by this run or another process: `review`, and no worker of this run. */
  readonly isMerging?: boolean | undefined;
  /** Dependencies in the epic that are not completed. */
  readonly waitsFor: readonly string[];
  readonly priority: number;
  /** Why it cannot be started at all: it does not exist, or its files are invalid. */
  readonly problem?: string | undefined;
  /** Why this run does not try it again. */
  readonly skipReason?: string | undefined;
}

export interface Schedule {
  readonly start: readonly string[];
  readonly merge: readonly string[];
  readonly waiting: readonly WaitingStory[];
  /** Nothing runs, and nothing can be started or merged. */
  readonly isOver: boolean;
}

export interface ScheduleRules {
  readonly parallel: number;
  readonly mayMerge: boolean;
  /** Why no story is started any more. */
  readonly noStartReason?: string | undefined;
  /** Why a story cannot start while another one runs or is merged. */
  readonly whyNotTogether: (
    id: string,
    other: string,
    facts: { readonly isMerging: boolean },
  ) => OverlapReason | undefined;
}

/** By priority, then by the number of dependents, then in the order of the epic. */
export function schedule(stories: readonly ScheduledStory[], rules: ScheduleRules): Schedule {
  const running = stories.filter(({ state }) => isRunning(state)).map(({ id }) => id);
  const merge = rules.mayMerge
    ? stories
        // One that is being merged may be with its agent again before its merge has let go of it.
        .filter(({ state, isMerging }) => state === "review" && !isMerging)
        .filter(({ skipReason }) => skipReason === undefined)
        .map(({ id }) => id)
    : [];
  const dependents = (id: string): number =>
    stories.filter(({ waitsFor }) => waitsFor.includes(id)).length;
  const candidates = stories
    .filter(({ state }) => isStartable(state))
    .filter(({ waitsFor, problem, skipReason }) => waitsFor.length === 0 && !problem && !skipReason)
    .toSorted(
      (one, other) => one.priority - other.priority || dependents(other.id) - dependents(one.id),
    );
  const start: string[] = [];
  const held = new Map<string, string>();
  const merging = stories.filter(({ isMerging }) => isMerging).map(({ id }) => id);
  const landing = new Set([...merge, ...merging]);
  for (const { id } of candidates) {
    const busy = [...running, ...start];
    const apart = reasonToWait(id, [...busy, ...landing]);
    if (rules.noStartReason !== undefined) held.set(id, rules.noStartReason);
    else if (busy.length >= rules.parallel) held.set(id, noRoom(rules.parallel));
    else if (apart !== undefined) held.set(id, apart);
    else start.push(id);
  }
  const isOver =
    running.length === 0 && merge.length === 0 && start.length === 0 && merging.length === 0;
  return { start, merge, waiting: waitingStories(stories, held), isOver };

  function reasonToWait(id: string, others: readonly string[]): string | undefined {
    for (const other of others) {
      const reason = rules.whyNotTogether(id, other, { isMerging: landing.has(other) });
      if (reason !== undefined) return overlapText(reason, other);
    }
    return undefined;
  }
}

const noRoom = (parallel: number): string =>
  parallel === 1 ? "another story is running" : `${parallel} stories are running`;

export interface EpicEnd {
  readonly isDone: boolean;
  readonly open: readonly { readonly id: string; readonly state: StoryState }[];
  readonly waiting: readonly WaitingStory[];
  /** Of a story, or of the run itself. */
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

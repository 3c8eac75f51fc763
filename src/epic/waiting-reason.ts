// Why a story of an epic is not running, in words. Pure. States that need a person (failed, blocked, review) are
// not listed: the state says it.

import { findCycles } from "../story/definition/graph.ts";
import { isStartable, type StoryState } from "../story/state/state.ts";
import type { ScheduledStory } from "./schedule.ts";

export interface WaitingStory {
  readonly id: string;
  readonly why: string;
}

const isWaiting = (state: StoryState): boolean =>
  state === "pending" || state === "waiting" || isStartable(state);

export function waitingStories(
  stories: readonly ScheduledStory[],
  /** Why startable stories are not started. */
  held: ReadonlyMap<string, string>,
): WaitingStory[] {
  const byId = new Map(stories.map((story) => [story.id, story]));
  const cycles = cyclesOf(stories);
  return stories.flatMap((story) => {
    if (!isWaiting(story.state)) return [];
    const { id, problem, waitsFor, skipReason } = story;
    const needs = waitsFor.map((other) => needText(other, byId.get(other))).join("; ");
    const why = problem ?? cycles.get(id) ?? (needs || (skipReason ?? held.get(id)));
    return why === undefined ? [] : [{ id, why }];
  });
}

/** For every story in a cycle, the cycle from its own side. */
function cyclesOf(stories: readonly ScheduledStory[]): Map<string, string> {
  const links = stories.map(({ id, waitsFor, state }) => ({
    id,
    blockedBy: waitsFor,
    isDone: state === "completed",
  }));
  return new Map(
    findCycles(links).flatMap((cycle) =>
      cycle.map((id, at) => {
        const path = [...cycle.slice(at), ...cycle.slice(0, at), id];
        return [id, `depends on itself: ${path.join(" → ")}`] as const;
      }),
    ),
  );
}

function needText(id: string, story: ScheduledStory | undefined): string {
  if (story === undefined) return `needs ${id}, which is not a story of the epic`;
  const problem = story.problem ?? problemOf(story);
  return problem === undefined ? `needs ${id}` : `needs ${id} (${problem})`;
}

/** What keeps a dependency from completing by itself. */
function problemOf({ state, isMerging, skipReason }: ScheduledStory): string | undefined {
  switch (state) {
    case "failed":
      return "failed";
    case "blocked":
      return "has a question for you";
    case "review":
      return isMerging ? "being merged" : "not merged yet";
    case "stopped":
    case "killed":
    case "limit":
    case "unfinished":
      return skipReason === undefined ? undefined : LEFT_AS[state];
    default:
      return undefined;
  }
}

const LEFT_AS = {
  stopped: "stopped",
  killed: "its worker was killed",
  limit: "reached a limit",
  unfinished: "unfinished",
} as const;

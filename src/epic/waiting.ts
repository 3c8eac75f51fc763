// Why a story of an epic is not being worked on, in words. Pure. What needs a person by itself (failed,
// blocked, review) is not said here: its state says it.

import { findCycles } from "../story/definition/graph.ts";
import { isStartable, type StoryState } from "../story/state/state.ts";
import type { ScheduledStory } from "./schedule.ts";

export interface Waiting {
  readonly id: string;
  readonly why: string;
}

const isWaiting = (state: StoryState): boolean =>
  state === "pending" || state === "waiting" || isStartable(state);

export function whyWaiting(
  stories: readonly ScheduledStory[],
  /** Those that could be started, and are not. */
  held: ReadonlyMap<string, string>,
): Waiting[] {
  const byId = new Map(stories.map((story) => [story.id, story]));
  const circles = circlesOf(stories);
  return stories.flatMap((story) => {
    if (!isWaiting(story.state)) return [];
    const { id, fault, waitsFor, givenUp } = story;
    const first = waitsFor.map((other) => whyFirst(other, byId.get(other))).join("; ");
    const why = fault ?? circles.get(id) ?? (first || (givenUp ?? held.get(id)));
    return why === undefined ? [] : [{ id, why }];
  });
}

/** By every story that is part of one. */
function circlesOf(stories: readonly ScheduledStory[]): Map<string, string> {
  const links = stories.map(({ id, waitsFor, state }) => ({
    id,
    blockedBy: waitsFor,
    isDone: state === "completed",
  }));
  return new Map(
    findCycles(links).flatMap((circle) =>
      circle.map((id, at) => {
        const round = [...circle.slice(at), ...circle.slice(0, at), id];
        return [id, `it waits for itself: ${round.join(" after ")}`] as const;
      }),
    ),
  );
}

function whyFirst(id: string, story: ScheduledStory | undefined): string {
  if (story === undefined) return `${id} comes first, and is no story of the epic`;
  if (story.fault !== undefined) return `${id} comes first, and ${story.fault}`;
  switch (story.state) {
    case "failed":
      return `${id} comes first, and has failed`;
    case "blocked":
      return `${id} comes first, and has a question for you`;
    case "review":
      return `${id} comes first, and is not merged yet`;
    case "stopped":
    case "killed":
    case "limit":
    case "unfinished":
      return story.givenUp === undefined
        ? `${id} comes first`
        : `${id} comes first, and ${HOW_IT_WAS_LEFT[story.state]}`;
    default:
      return `${id} comes first`;
  }
}

const HOW_IT_WAS_LEFT = {
  stopped: "was stopped",
  killed: "its worker was killed",
  limit: "reached a limit",
  unfinished: "is unfinished",
} as const;

// Which stories of an epic go into the fleet's queue, and what each waits for. Pure.

import type { Epic } from "../../story/definition/epic.ts";
import type { Story } from "../../story/definition/story.ts";
import type { ParkReason } from "../../story/state/fleet-work.ts";
import type { StoryState } from "../../story/state/state.ts";
import type { QueuedStory } from "../engine/job-flow.ts";
import { decideStep } from "../member/decide-step.ts";

export interface PlannedStory {
  readonly state: StoryState;
  readonly story: Pick<Story, "labels" | "priority">;
}

interface EpicPlan {
  readonly root: string;
  /** The base's commit. */
  readonly commit: string;
  readonly merge: boolean;
  /** Given if no one asked for the epic now: these stories, and those that need a person, are queued for no member to take. */
  readonly discarded?: ReadonlySet<string> | undefined;
}

/** Merged stories are left out; what depends on them need not wait. */
export function planEpic(
  { id: epic, children }: Pick<Epic, "id" | "children">,
  stories: ReadonlyMap<string, PlannedStory>,
  { discarded, ...plan }: EpicPlan,
): QueuedStory[] {
  return children.flatMap(({ id, blockedBy }) => {
    const found = stories.get(id);
    if (found === undefined || found.state === "completed") return [];
    const { labels, priority } = found.story;
    const parked = discarded && whyParked(found.state, discarded.has(id));
    return [
      { ...plan, epic, story: id, labels, priority, after: blockedBy, ...(parked && { parked }) },
    ];
  });
}

function whyParked(state: StoryState, isDiscarded: boolean): ParkReason | undefined {
  if (isDiscarded) return "discarded";
  // What a member would do after it has worked on the story.
  return decideStep({ state, mayMerge: true, last: "work" }) === "park" ? "person" : undefined;
}

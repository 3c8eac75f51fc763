// Which stories of an epic go into the fleet's queue, and what each waits for. Pure.

import type { Epic } from "../../story/definition/epic.ts";
import type { Story } from "../../story/definition/story.ts";
import type { StoryState } from "../../story/state/state.ts";
import type { QueuedStory } from "../engine/jobs.ts";

export interface PlannedStory {
  readonly state: StoryState;
  readonly story: Pick<Story, "labels" | "priority">;
}

interface EpicPlan {
  readonly root: string;
  /** The base's commit. */
  readonly commit: string;
  readonly merge: boolean;
}

/** Merged stories are left out; what depends on them need not wait. */
export function planEpic(
  { id: epic, children }: Pick<Epic, "id" | "children">,
  stories: ReadonlyMap<string, PlannedStory>,
  plan: EpicPlan,
): QueuedStory[] {
  return children.flatMap(({ id, blockedBy }) => {
    const found = stories.get(id);
    if (found === undefined || found.state === "completed") return [];
    const { labels, priority } = found.story;
    return [{ ...plan, epic, story: id, labels, priority, after: blockedBy }];
  });
}

// An epic's stories as jobs that wait for each other. Pure.

import type { FlowJob } from "pg-boss";
import type { ParkReason } from "../../story/state/fleet-work.ts";
import { groupOf, type FleetJob } from "../backlog/job.ts";
import { rankOf } from "./queue-order.ts";

export const STORY = "story";
/** Stands for the merge of a story that people merge: what depends on the story waits for it. */
export const MERGE = "merge";

export interface QueuedStory extends FleetJob {
  readonly labels: readonly string[];
  /** 0 is the most urgent, as in a story's file. */
  readonly priority: number;
  /** Stories that have to be merged first, and are in the same plan. */
  readonly after: readonly string[];
  /** If it is not in the queue, it is put there for no member to take. */
  readonly parked?: ParkReason | undefined;
}

/**
 * A story's dependents wait for its job if a member merges it, and otherwise for a job that only people complete. `merges`:
 * stories that have such a job from before. What depends on one and is new does not wait in the queue: the member that
 * claims it looks at the story's state, and gives it back.
 */
export function flowOf(
  stories: readonly QueuedStory[],
  merges: ReadonlySet<string> = new Set(),
): FlowJob[] {
  const planned = new Map(stories.map((story) => [story.story, story]));
  const endOf = ({ story, merge }: QueuedStory): string | undefined => {
    if (merge) return story;
    return merges.has(story) ? undefined : `${story}/${MERGE}`;
  };
  return stories.flatMap(({ labels, priority, after, ...story }) => {
    const { parked: _, ...data } = story;
    const options = {
      singletonKey: data.story,
      priority: rankOf(priority),
      group: { id: groupOf(labels) },
    };
    const dependsOn = after.flatMap((id) => {
      const before = planned.get(id);
      return (before && endOf(before)) ?? [];
    });
    const work: FlowJob = { ref: data.story, name: STORY, data, options, dependsOn };
    if (data.merge || merges.has(data.story)) return [work];
    return [
      work,
      { ref: `${data.story}/${MERGE}`, name: MERGE, data, options, dependsOn: [data.story] },
    ];
  });
}

// Totals over the stories of an epic.

import type { Entities, EpicCard, StoryCard } from "../../protocol/messages.ts";
import type { Tone } from "./states.ts";
import { STORY_LOOKS } from "./states.ts";

export interface EpicSum {
  readonly total: number;
  readonly done: number;
  readonly costUsd: number;
  readonly costIsEstimate: boolean;
  /** How many stories have each tone, in the order of a progress bar. */
  readonly tones: readonly (readonly [Tone, number])[];
}

const BAR_ORDER: readonly Tone[] = ["good", "active", "ask", "bad", "idle"];

const storiesOf = (epic: EpicCard, entities: Entities): StoryCard[] =>
  epic.children.flatMap(({ id }) => entities.stories[id] ?? []);

export function sumOf(epic: EpicCard, entities: Entities): EpicSum {
  const stories = storiesOf(epic, entities);
  const toneOf = ({ state }: StoryCard): Tone => STORY_LOOKS[state].tone;
  // A missing or invalid story counts as not done.
  const missing = epic.children.length - stories.length;
  return {
    total: epic.children.length,
    done: stories.filter(({ state }) => state === "completed").length,
    costUsd: stories.reduce((sum, story) => sum + story.costUsd, 0),
    costIsEstimate: stories.some((story) => story.costIsEstimate),
    tones: BAR_ORDER.map((tone) => [
      tone,
      stories.filter((story) => toneOf(story) === tone).length + (tone === "idle" ? missing : 0),
    ]),
  };
}

export const isSameSum = (one: EpicSum, other: EpicSum): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

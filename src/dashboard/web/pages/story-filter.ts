// Filters the list of stories. Pure. The filter is part of the address, so that a view can be shared.

import type { CardState, Entities, StoryCard } from "../../protocol/messages.ts";
import { STORY_STATES } from "../../../story/state/state.ts";
import { byUrgency, needsYou } from "../words/states.ts";

/** In the order of the select box. */
export const CARD_STATES: readonly CardState[] = [...STORY_STATES, "in-progress"];

export interface StoryFilter {
  readonly search: string;
  readonly state: CardState | "needs-you" | "all";
}

export function readFilter(parameters: URLSearchParams): StoryFilter {
  const parameter = parameters.get("state");
  const state = CARD_STATES.find((one) => one === parameter);
  return {
    search: parameters.get("search") ?? "",
    state: state ?? (parameter === "needs-you" ? "needs-you" : "all"),
  };
}

export function writeFilter({ search, state }: StoryFilter): string {
  const parameters = new URLSearchParams();
  if (state !== "all") parameters.set("state", state);
  if (search !== "") parameters.set("search", search);
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/** Stories that need a person first, then running ones, then the rest. */
export function filterStories(stories: readonly StoryCard[], filter: StoryFilter): StoryCard[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  return stories
    .filter((story) => hasState(story, filter.state) && hasWords(story, words))
    .toSorted((one, other) => rank(one) - rank(other) || byUrgency(one, other));
}

/** Open stories without an existing epic that are in no other section of Home. */
export const looseStories = ({
  stories,
  epics,
}: Pick<Entities, "stories" | "epics">): StoryCard[] =>
  filterStories(Object.values(stories), { search: "", state: "all" }).filter(
    (story) =>
      epics[story.epic ?? ""] === undefined &&
      story.state !== "completed" &&
      !story.isArchived &&
      story.attention === undefined,
  );

const hasState = (story: StoryCard, state: StoryFilter["state"]): boolean =>
  state === "all" || (state === "needs-you" ? needsYou(story) : story.state === state);

function hasWords({ id, title, labels }: StoryCard, words: readonly string[]): boolean {
  const text = `${id} ${title} ${labels.join(" ")}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

const ORDER: readonly CardState[] = [
  "running",
  "in-progress",
  "stopped",
  "killed",
  "limit",
  "unfinished",
  "sent-back",
  "ready",
  "waiting",
  "pending",
  "completed",
];
const rank = (story: StoryCard): number =>
  story.isArchived ? 20 : needsYou(story) ? -1 : ORDER.indexOf(story.state);

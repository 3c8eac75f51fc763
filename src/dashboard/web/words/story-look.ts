// How a story is shown: by its state and its approval. Pure.

import type { StoryCard } from "../../protocol/messages.ts";
import { shownWord } from "../../../story/state/attention.ts";
import { STORY_LOOKS, type Look } from "./states.ts";

const ACCEPTED: Look = { word: "Accepted", tone: "good", mark: "eye" };

/** The same word as in `saga list` and `saga status`, with the colour and shape of its state. */
export function storyLook({ state, acceptedAt, attention }: StoryCard): Look {
  const look = STORY_LOOKS[state];
  if (state === "in-progress") return look;
  const word = shownWord(state, attention?.kind);
  if (word !== shownWord(state, undefined)) return { ...look, word: capitalised(word) };
  return state === "review" && acceptedAt !== undefined ? ACCEPTED : look;
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

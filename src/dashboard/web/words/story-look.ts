// How a story is shown: by its state and its approval. Pure.

import type { StoryCard } from "../../protocol/messages.ts";
import { STORY_LOOKS, type Look } from "./states.ts";

const ACCEPTED: Look = { word: "Accepted", tone: "good", mark: "eye" };

export const storyLook = ({ state, acceptedAt }: StoryCard): Look =>
  state === "review" && acceptedAt !== undefined ? ACCEPTED : STORY_LOOKS[state];

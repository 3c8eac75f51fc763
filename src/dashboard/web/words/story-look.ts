// How a story is shown: its state, and whether a person has accepted it. Pure.

import type { StoryCard } from "../../protocol/messages.ts";
import { STORY_LOOKS, type Look } from "./states.ts";

const ACCEPTED: Look = { word: "Accepted", tone: "good", mark: "eye" };

export const storyLook = ({ state, acceptedAt }: StoryCard): Look =>
  state === "review" && acceptedAt !== undefined ? ACCEPTED : STORY_LOOKS[state];

import { expect, it } from "vitest";
import type { StoryCard } from "../../protocol/messages.ts";
import { storyLook } from "./story-look.ts";

const look = (state: string, acceptedAt?: string) => storyLook({ state, acceptedAt } as StoryCard);

it("an approval shows only while the story waits for its merge", () => {
  expect(look("review", "2026-01-01").word).toBe("Accepted");
  expect(look("review")).not.toEqual(look("review", "2026-01-01"));
  expect(look("running", "2026-01-01")).toEqual(look("running"));
});

import { expect, it } from "vitest";
import type { InFlight } from "../../recover/in-flight.ts";
import { whyNotResumable } from "./resume-story.ts";

const why = (more: object) =>
  whyNotResumable({
    storyId: "a",
    state: "killed",
    branch: { name: "story/a", commit: undefined },
    worktree: { isThere: true },
    ...more,
  } as unknown as InFlight);

it("an open question is answered first", () => {
  expect(why({ state: "blocked" })?.hint).toContain("saga resolve a");
});

it("a worktree whose branch is gone needs its last commit, or a fresh start", () => {
  expect(why({ lostTip: "abc" })?.hint).toContain("git update-ref refs/heads/story/a abc");
  expect(why({})?.hint).toContain("saga discard a");
});

it("resumes with the branch, and without a worktree", () => {
  expect(why({ branch: { name: "story/a", commit: "abc" } })).toBeUndefined();
  expect(why({ worktree: { isThere: false } })).toBeUndefined();
});

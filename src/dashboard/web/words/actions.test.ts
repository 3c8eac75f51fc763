import { expect, it } from "vitest";
import type { StoryCard } from "../../protocol/messages.ts";
import { stateActions } from "./actions.ts";

const actions = (story: object) => stateActions(story as StoryCard);

it("offers nothing on a story that is read-only", () => {
  expect(actions({ state: "review" })).toContain("merge");
  expect(actions({ state: "review", isArchived: true })).toEqual([]);
  expect(actions({ state: "review", isLegacy: true })).toEqual([]);
});

it("resumes what was begun, and starts what was not", () => {
  expect(actions({ state: "ready", attention: { section: "continue" } })[0]).toBe("resume");
  expect(actions({ state: "ready", attention: { section: "start" } })).toEqual(["run"]);
});

it("offers to push first where that failed", () => {
  expect(actions({ state: "review", attention: { kind: "push-failed" } })[0]).toBe("push");
});

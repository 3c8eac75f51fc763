import { expect, it } from "vitest";
import { withLostMerges, type EpicStory } from "./read-stories.ts";

const children = [
  { id: "form", blockedBy: [] },
  { id: "page", blockedBy: ["form"] },
];
const story = (id: string, more: Partial<EpicStory> = {}): EpicStory => ({
  id,
  state: "ready",
  waitsFor: [],
  priority: 3,
  writes: undefined,
  conflict: undefined,
  earlyEnd: undefined,
  lastRunId: undefined,
  ...more,
});

it("a story whose merge was lost is unfinished again", () => {
  const form = story("form", { state: "completed" });
  expect(withLostMerges(form, { children }, ["form"]).state).toBe("unfinished");
});

it("the dependents of a lost merge wait for it, unless they have begun", () => {
  expect(withLostMerges(story("page"), { children }, ["form"])).toMatchObject({
    state: "waiting",
    waitsFor: ["form"],
  });
  expect(withLostMerges(story("page", { state: "running" }), { children }, ["form"]).state).toBe(
    "running",
  );
});

it("other stories are not affected", () => {
  expect(withLostMerges(story("form"), { children }, ["page"])).toEqual(story("form"));
});

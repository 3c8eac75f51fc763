import { expect, it } from "vitest";
import { storySchema } from "../definition/story.ts";
import { epicAfter, meansTheSame, storyAfter, taskAfter } from "./fields-after-plan.ts";

const whole = { isPartial: false };
const partial = { isPartial: true };

it("a plan changes neither what runs write nor fields that Saga does not know", () => {
  const before = { id: "a", title: "Old", status: "completed", branch: "story/a", owner: "me" };
  expect(storyAfter(before, { id: "a", title: "New", status: "pending" }, whole)).toEqual({
    ...before,
    title: "New",
  });
});

it("a whole plan removes the fields that it leaves out, a partial one keeps them", () => {
  const before = { id: "t", title: "Old", guidance: "Be quick.", status: "pending" };
  const planned = { id: "t", title: "New" };
  expect(taskAfter(before, planned, whole)).not.toHaveProperty("guidance");
  expect(taskAfter(before, planned, partial)).toHaveProperty("guidance", "Be quick.");
});

it("an epic keeps its children when the plan names none", () => {
  const before = { id: "e", title: "E", children: [{ storyId: "a" }] };
  expect(epicAfter(before, { id: "e", title: "E" }, whole)["children"]).toEqual(before.children);
});

it("only a new story of a partial plan is described by its title", () => {
  expect(storyAfter(undefined, { id: "a", title: "A" }, partial)["description"]).toBe("A");
  expect(storyAfter(undefined, { id: "a", title: "A" }, whole)).not.toHaveProperty("description");
});

it("a missing field means its default, and the order of keys means nothing", () => {
  const story = { id: "a", title: "A", description: "D", status: "pending" };
  const { needsReview } = storySchema.parse(story);
  const reordered = { needsReview, status: "pending", description: "D", title: "A", id: "a" };
  expect(meansTheSame("story", story, reordered)).toBe(true);
  expect(meansTheSame("story", story, { ...story, needsReview: !needsReview })).toBe(false);
});

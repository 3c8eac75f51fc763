import { expect, it } from "vitest";
import { STORY_STATES } from "../../story/state/state.ts";
import { decideStep } from "./decide-step.ts";

it.each([
  ["completed", "complete"],
  ["ready", "work"],
  ["sent-back", "work"],
  ["unfinished", "work"],
  ["killed", "work"],
  ["limit", "work"],
  ["stopped", "work"],
  ["running", "retry"],
  ["stalled", "retry"],
  ["waiting", "retry"],
  ["blocked", "park"],
  ["failed", "park"],
  ["pending", "park"],
  ["review", "merge"],
] as const)("a claimed story that is %s: %s", (state, step) => {
  expect(decideStep({ state, mayMerge: true, last: undefined })).toBe(step);
});

it("leaves a story in review to people, unless it may merge", () => {
  expect(decideStep({ state: "review", mayMerge: false, last: "work" })).toBe("complete");
  expect(decideStep({ state: "review", mayMerge: true, last: "work" })).toBe("merge");
});

it.each([
  ["review", "merge", "park"],
  ["limit", "work", "park"],
  ["stopped", "work", "park"],
  ["killed", "work", "retry"],
  ["sent-back", "merge", "work"],
] as const)("%s after %s: %s", (state, last, step) => {
  expect(decideStep({ state, mayMerge: true, last })).toBe(step);
});

it("has an answer for every state", () => {
  const steps = STORY_STATES.map((state) => decideStep({ state, mayMerge: false, last: "work" }));
  expect(steps).toHaveLength(STORY_STATES.length);
  expect(steps).not.toContain(undefined);
});

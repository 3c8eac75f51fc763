import { describe, expect, it } from "vitest";
import { affordableStories } from "./affordable-stories.ts";

describe("a limited epic run", () => {
  it.each([
    ["no limit", undefined, 2, 0, Infinity],
    ["no history", 5, 0, 1, Infinity],
    ["enough for three", 6, 2, 1, 3],
    ["one story that is already running", 1, 2, 1, 1],
    ["running ones, which continue", 1, 2, 3, 3],
    ["a first story, for which the rest is little", 1, 2, 0, 1],
  ])("affords stories: %s", (_, leftUsd, usualUsd, running, expected) => {
    expect(affordableStories({ leftUsd, usualUsd, running })).toBe(expected);
  });
});

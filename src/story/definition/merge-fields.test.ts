import { describe, expect, it } from "vitest";
import { mergeFields } from "./merge-fields.ts";

const base = { id: "s", title: "S", checks: ["a"], status: "pending" };
const text = (fields: object): string => JSON.stringify(fields);
const merge = (target: object, story: object): unknown =>
  JSON.parse(mergeFields({ base: text(base), target: text(target), story: text(story) }) ?? "null");

describe("a story's file that was changed on both sides", () => {
  it("has the story's state, and what people changed on the target", () => {
    const target = { ...base, title: "Better", guidance: "Slowly." };
    const story = { ...base, status: "completed", branch: "story/s" };
    expect(merge(target, story)).toEqual({
      ...base,
      title: "Better",
      guidance: "Slowly.",
      status: "completed",
      branch: "story/s",
    });
  });

  it("lacks the field that either side removed", () => {
    const { checks: _, ...without } = base;
    expect(merge(without, base)).toEqual(without);
    expect(merge(base, without)).toEqual(without);
  });

  it("has the story's value where both changed the same field", () => {
    expect(merge({ ...base, title: "T" }, { ...base, title: "S2" })).toMatchObject({ title: "S2" });
  });

  it("is not merged when one version is not a JSON object", () => {
    expect(mergeFields({ base: "{}", target: "<<<<<<< x", story: "{}" })).toBeUndefined();
    expect(mergeFields({ base: "{}", target: "{}", story: "[]" })).toBeUndefined();
  });
});

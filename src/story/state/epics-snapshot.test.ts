import { expect, it } from "vitest";
import { epicSchema } from "../definition/epic.ts";
import { storySchema } from "../definition/story.ts";
import { snapshotOf } from "./epics-snapshot.ts";

const story = (more = {}) =>
  storySchema.parse({ id: "a", title: "A", description: "A", status: "pending", ...more });

it("has only branches that git has, and the story's own before the usual one", () => {
  const branchOf = (more: object, known: string) =>
    snapshotOf(
      [],
      [{ story: story(more), epicId: undefined, state: "ready" }],
      (name) => name === known,
    ).stories[0]?.branch;
  expect(branchOf({}, "story/a")).toBe("story/a");
  expect(branchOf({}, "other")).toBeUndefined();
  expect(branchOf({ branch: "own/a" }, "own/a")).toBe("own/a");
  expect(branchOf({ branch: "own/a" }, "story/a")).toBeUndefined();
});

it("takes the number of a pull request from its address", () => {
  const numberOf = (pr: string) => {
    const epic = epicSchema.parse({ id: "e", title: "E", description: "E", children: [], pr });
    return snapshotOf([epic], [], () => false).epics[0]?.prNumber;
  };
  expect(numberOf("https://github.com/o/r/pull/17")).toBe(17);
  expect(numberOf("https://github.com/o/r/pulls")).toBeUndefined();
});

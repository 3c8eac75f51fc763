import { expect, it } from "vitest";
import type { StoryPlace } from "../project/find.ts";
import { changedStories, storiesElsewhere } from "./stage.ts";

const file = (kind: "story" | "task" | "epic", owner: string, action = "update") =>
  ({ kind, owner, action }) as Parameters<typeof changedStories>[0][number];

const places = new Map<string, StoryPlace>([
  ["here", { id: "here", folder: "/p/.saga/stories/here", source: "project" }],
  ["there", { id: "there", folder: "/p/.saga/elsewhere/stories/there", source: "elsewhere" }],
]);

it("a plan changes a story with each of its files and tasks, unless it keeps them as they are", () => {
  const files = [
    file("epic", "shop"),
    file("story", "one", "keep"),
    file("task", "one"),
    file("task", "one"),
    file("story", "two", "keep"),
    file("story", "three", "create"),
  ];
  expect(changedStories(files)).toEqual(["one", "three"]);
});

it("a plan is refused if it changes a story whose current files are on another machine", () => {
  const [problem, ...others] = storiesElsewhere(
    [file("task", "there"), file("task", "here")],
    places,
  );
  expect(problem).toMatchObject({ file: "/p/.saga/elsewhere/stories/there", severity: "error" });
  expect(others).toEqual([]);
  expect(storiesElsewhere([file("story", "there", "keep")], places)).toEqual([]);
});

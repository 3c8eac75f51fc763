import { expect, it } from "vitest";
import { changedFolders } from "./commit-archive.ts";

it("commits only the folders that have changed", () => {
  const folders = [".saga/stories/one", ".saga/archive/one", ".saga/stories/two"];
  const status = [" D .saga/stories/one/story.json", "?? .saga/archive/one/story.json"];
  expect(changedFolders(folders, status)).toEqual([".saga/stories/one", ".saga/archive/one"]);
});

it("does not take a story for another one whose id begins with the same letters", () => {
  const status = [" M .saga/stories/one-more/story.json", " M copy/.saga/stories/one/story.json"];
  expect(changedFolders([".saga/stories/one"], status)).toEqual([]);
});

import { join } from "node:path";
import { expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { newWorktree } from "../../../test/support/worktree.ts";
import { layoutOf } from "../project/layout.ts";
import { storyFolder } from "./story-folder.ts";

it("is the story's worktree for as long as it has one, and else the project's folder", () => {
  const project = newProject();
  const at = layoutOf(project.path);
  project.write(".saga/stories/one/story.json", aStory("one"));
  const folder = storyFolder(at, "one");
  const inProject = folder.find();
  expect(inProject).toBe(join(at.saga, "stories/one"));
  expect(folder.isStillRight(inProject)).toBe(true);
  newWorktree(project, "one", aStory("one"));
  expect(folder.isStillRight(inProject)).toBe(false);
  const inWorktree = folder.find();
  expect(inWorktree).toBe(join(at.saga, "worktrees/one/.saga/stories/one"));
  expect(folder.isStillRight(inWorktree)).toBe(true);
});

it("refuses an archived story, and one whose files are on another machine", () => {
  const project = newProject();
  const at = layoutOf(project.path);
  project.write(".saga/archive/old/story.json", aStory("old"));
  project.write(".saga/elsewhere/stories/away/story.json", aStory("away"));
  expect(() => storyFolder(at, "old").find()).toThrow("is in the archive");
  expect(() => storyFolder(at, "away").find()).toThrow("on another machine");
  expect(() => storyFolder(at, "none").find()).toThrow(
    expect.objectContaining({ code: "not-found" }),
  );
});

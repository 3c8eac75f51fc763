import { expect, it } from "vitest";
import { aStory, newProject, type Project } from "../../../test/support/project.ts";
import { newWorktree } from "../../../test/support/worktree.ts";
import {
  findArchived,
  findStories,
  findStory,
  foreignFolders,
  linkedWorktrees,
  newReading,
} from "./find.ts";
import { layoutOf } from "./layout.ts";

const at = ({ path }: Project) => layoutOf(path);
const story = (project: Project, folder: string, more = {}) =>
  project.write(`.saga/${folder}/story.json`, aStory(folder.split("/").at(-1) ?? "", more));

/** By both ways to look for it. */
function sourcesOf(project: Project, id: string): (string | undefined)[] {
  const all = findStories(at(project), newReading());
  return [all.get(id)?.source, findStory(at(project), id)?.source];
}

it("a story's current copy is on another machine, in its worktree, or in the project", () => {
  const project = newProject();
  story(project, "stories/one");
  expect(sourcesOf(project, "one")).toEqual(["project", "project"]);
  newWorktree(project, "one", aStory("one"));
  expect(sourcesOf(project, "one")).toEqual(["worktree", "worktree"]);
  story(project, "elsewhere/stories/one");
  expect(sourcesOf(project, "one")).toEqual(["elsewhere", "elsewhere"]);
});

it("a checkout that has the merged story is newer than a copy of another machine", () => {
  const project = newProject();
  story(project, "elsewhere/stories/one");
  story(project, "stories/one", { status: "completed" });
  expect(sourcesOf(project, "one")).toEqual(["project", "project"]);
});

it("worktrees of older versions are found, and a worktree without the story does not count", () => {
  const project = newProject();
  newWorktree(project, "shop/cart", aStory("shop--cart"));
  expect(sourcesOf(project, "shop--cart")).toEqual(["worktree", "worktree"]);
  story(project, "stories/two");
  project.write(".saga/worktrees/two/.git", "gitdir: elsewhere\n");
  expect(sourcesOf(project, "two")).toEqual(["project", "project"]);
});

it("an archived story is found by its name, and not among the open ones", () => {
  const project = newProject();
  story(project, "archive/old");
  expect(sourcesOf(project, "old")).toEqual([undefined, "archive"]);
  expect(findArchived(at(project), newReading())).toEqual(["old"]);
});

it("folders with an impossible name and links that lead out are reported, and hide no story", () => {
  const project = newProject();
  const reading = newReading();
  story(project, "stories/one");
  story(project, "stories/My Story");
  project.write("../outside/two/story.json", aStory("two"));
  project.link(".saga/stories/two", "../../../outside/two");
  project.write(".saga/stories/.hidden/story.json", aStory("hidden"));
  project.write(".saga/stories/notes.md", "");
  expect([...findStories(at(project), reading).keys()]).toEqual(["one"]);
  expect(reading.problems.map(({ message, fix }) => `${message} ${fix}`).toSorted()).toEqual([
    expect.stringMatching(/^The folder name "My Story" .* Rename it to my-story\.$/),
    expect.stringContaining("leads out of .saga"),
  ]);
});

it("what is no worktree among the worktrees is named: no story can run there", () => {
  const project = newProject();
  newWorktree(project, "one", aStory("one"));
  newWorktree(project, "shop/cart", aStory("shop--cart"));
  project.write(".saga/worktrees/merge.one/file", "");
  project.write(".saga/worktrees/notes/file", "");
  project.write("../outside/.git", "");
  project.link(".saga/worktrees/link", "../../../outside");
  const { saga } = at(project);
  expect(foreignFolders(at(project))).toEqual([`${saga}/worktrees/notes`]);
  expect(linkedWorktrees(at(project)).map(({ file }) => file)).toEqual([`${saga}/worktrees/link`]);
});

import { expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { layoutOf } from "./layout.ts";
import { requireEpic, requireJournal, requireStory } from "./require-read.ts";

it("a story is read, missing or broken", () => {
  const project = newProject();
  const at = layoutOf(project.path);
  project.write(".saga/stories/good/story.json", JSON.stringify(aStory("good")));
  project.write(".saga/stories/bad/story.json", "{");
  expect(requireStory(at, "good").id).toBe("good");
  expect(() => requireStory(at, "none")).toThrow("none");
  expect(() => requireStory(at, "bad")).toThrow(expect.objectContaining({ code: "bad-file" }));
});

it("a journal is read without the story's other files", () => {
  const project = newProject();
  const at = layoutOf(project.path);
  project.write(".saga/stories/bad/story.json", "{");
  expect(requireJournal(at, "bad")).toBe("");
  project.write(".saga/stories/bad/journal.md", "# Journal\n");
  expect(requireJournal(at, "bad")).toBe("# Journal\n");
  expect(() => requireJournal(at, "none")).toThrow(expect.objectContaining({ code: "not-found" }));
});

it("an epic is missing or broken", () => {
  const project = newProject();
  const at = layoutOf(project.path);
  project.write(".saga/epics/bad/epic.json", "{");
  expect(() => requireEpic(at, "none")).toThrow(expect.objectContaining({ code: "not-found" }));
  expect(() => requireEpic(at, "bad")).toThrow(expect.objectContaining({ code: "bad-file" }));
});

import { expect, it } from "vitest";
import { definitionLabel, fileName, storyOf } from "./definition-file.ts";

const task = { kind: "task", id: "form", story: "login" } as const;

it("a task is named with its story, and its file with its own id", () => {
  expect(definitionLabel(task)).toBe("login/form");
  expect(storyOf(task)).toBe("login");
  expect(fileName(task)).toBe("form.json");
});

it("a story and an epic are named by their folder", () => {
  expect(definitionLabel({ kind: "story", id: "login" })).toBe("login");
  expect(fileName({ kind: "story", id: "login" })).toBe("story.json");
  expect(fileName({ kind: "epic", id: "shop" })).toBe("epic.json");
});

it("no task can name a file outside its story", () => {
  for (const id of ["../../config", "a/b", "story", ""]) {
    expect(() => fileName({ ...task, id })).toThrow(/id|name/);
  }
});

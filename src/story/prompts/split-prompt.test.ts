import { expect, it } from "vitest";
import { DEFAULT_CEILING } from "../definition/validate.ts";
import { splitPrompt, type SplitRequest } from "./split-prompt.ts";
import { storySchema } from "../definition/story.ts";
import { taskSchema } from "../definition/task.ts";

const question = (more: Partial<SplitRequest> = {}): SplitRequest => ({
  story: storySchema.parse({ id: "add-login", title: "Add login", description: "People log in." }),
  task: taskSchema.parse({
    id: "form",
    subject: "Build the form",
    description: "With two fields.",
    checks: ["npm test"],
    writeFiles: ["src/form.ts"],
  }),
  reason: "The agent used no tool for 6 minutes.",
  finished: false,
  progress: "",
  ceiling: DEFAULT_CEILING,
  usedIds: ["form", "page"],
  ...more,
});

it("has the task, the reason, the maximum size and the existing ids", () => {
  const prompt = splitPrompt(question());
  for (const part of [
    "The agent used no tool for 6 minutes.",
    "People log in.",
    "The task form: Build the form",
    "With two fields.",
    "`npm test`",
    "src/form.ts",
    "at most 5 files (writeFiles) and 200 lines",
    "These ids are taken: form, page.",
    "No work was done yet.",
    "the whole of form",
  ]) {
    expect(prompt).toContain(part);
  }
  expect(prompt).not.toMatch(/undefined|Guidance|Done when/);
});

it("shows the committed part, and asks for the rest", () => {
  const prompt = splitPrompt(question({ finished: true, progress: "abc1234 src/form.ts | 12 +" }));
  expect(prompt).toContain("A part of it is committed and stays.");
  expect(prompt).toContain("abc1234 src/form.ts | 12 +");
  expect(prompt).toContain("what is left of form");
});

it("shows uncommitted changes", () => {
  const prompt = splitPrompt(question({ progress: " M src/form.ts" }));
  expect(prompt).toContain("Nothing is committed. The worktree has these unfinished changes");
});

import { expect, it } from "vitest";
import { editedProblem, editedSentence } from "./edited-copy.ts";

const EDITED = {
  files: ["form.json", "story.json"],
  here: "/p/.saga/stories/a",
  own: "/p/.saga/worktrees/a/.saga/stories/a",
};

it("names every changed file, and the copy that counts", () => {
  expect(editedSentence(EDITED, "/p")).toBe(
    "You changed form.json, story.json here, but the story uses its copy in .saga/worktrees/a/.saga/stories/a.",
  );
});

it("is a warning at the first changed file, with the command that helps", () => {
  expect(editedProblem(EDITED, "/p")).toMatchObject({
    file: "/p/.saga/stories/a/form.json",
    severity: "warning",
    fix: expect.stringContaining("saga edit") as string,
  });
});

import { describe, expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { layoutOf } from "./layout.ts";
import { brokenFiles, notFound, requireEpicFile, requirePlace } from "./require.ts";

describe("a story or epic that is required", () => {
  it("is found by its id", () => {
    const project = newProject();
    project.write(".saga/stories/a/story.json", aStory("a"));
    expect(requirePlace(layoutOf(project.path), "a").folder).toMatch(/\.saga\/stories\/a$/);
  });

  it("is refused if it does not exist, or if a link leads out of .saga", () => {
    const project = newProject();
    const at = layoutOf(project.path);
    expect(() => requirePlace(at, "a")).toThrow("There is no story a.");
    expect(() => requireEpicFile(at, "a")).toThrow("There is no epic a.");
    expect(() => requirePlace(at, "../a")).toThrow("The story id");
    project.write("elsewhere/epic.json", {});
    project.link(".saga/epics/a", "../../elsewhere");
    expect(() => requireEpicFile(at, "a")).toThrow("leads out of .saga through a link");
  });
});

it("a worker of the pool is not a story", () => {
  expect(notFound("story", "auto-1")).toMatchObject({
    message: "auto-1 is a worker of the pool, not a story.",
    missingId: "auto-1",
  });
});

it("invalid files are counted", () => {
  const problem = { file: "a", severity: "error", message: "x", fix: "y" } as const;
  expect(brokenFiles([problem]).message).toBe("Invalid file:");
  expect(brokenFiles([problem, problem]).message).toBe("2 problems in files:");
});

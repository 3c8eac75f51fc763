import { expect, it } from "vitest";
import { aStory, newProject, type Project } from "../../../../test/support/project.ts";
import { refused } from "../../../../test/support/refused.ts";

function oneStory(): Project {
  const project = newProject();
  project.write(".saga/stories/add-login/story.json", aStory("add-login"));
  return project;
}

it("refuses a story that does not exist, with the nearest one", async () => {
  const { message, hint } = await refused(oneStory(), "verify", "add-logn");
  expect(message).toBe("There is no story add-logn.");
  expect(hint).toContain("Did you mean add-login?");
});

it("refuses a project outside of git, with what to do", async () => {
  const { message, hint } = await refused(oneStory(), "verify", "add-login");
  expect(message).toMatch(/ is not in a git repository\.$/);
  expect(hint).toContain("`git init`");
});

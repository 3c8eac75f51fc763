import { expect, it } from "vitest";
import { aStory, aTask, newProject, type Project } from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";

function oneStory(): Project {
  const project = newProject();
  project.write(".saga/stories/add-login/story.json", aStory("add-login"));
  project.write(".saga/stories/add-login/form.json", aTask("form"));
  return project;
}

it("refuses to send a story back without saying why, or one that does not exist", async () => {
  const project = oneStory();
  expect((await misused(project, "send-back", "add-login")).message).toBe(
    "Missing argument <why>.",
  );
  const { message } = await refused(project, "send-back", "add-logn", "Not like this.");
  expect(message).toBe("There is no story add-logn.");
});

it("is also called reject", async () => {
  const { hint } = await refused(oneStory(), "reject", "add-logn", "Not like this.");
  expect(hint).toContain("Did you mean add-login?");
});

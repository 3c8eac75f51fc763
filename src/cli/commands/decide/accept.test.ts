import { expect, it } from "vitest";
import { aStory, aTask, newProject, type Project } from "../../../../test/support/project.ts";
import { misused } from "../../../../test/support/refused.ts";

function oneStory(): Project {
  const project = newProject();
  project.write(".saga/stories/add-login/story.json", aStory("add-login"));
  project.write(".saga/stories/add-login/form.json", aTask("form"));
  return project;
}

it("refuses options that need another one, before it looks at the story", async () => {
  const project = oneStory();
  const checkout = await misused(project, "accept", "add-login", "--update-checkout");
  expect(checkout.message).toBe("--update-checkout works only together with --merge.");
  expect(checkout.hint).toContain("`saga merge add-login --update-checkout`");
  const why = await misused(project, "accept", "add-login", "--why", "It is fine.");
  expect(why.message).toBe("--why needs --override.");
});

it("refuses an unknown rule with the rules there are", async () => {
  const { message } = await misused(oneStory(), "accept", "add-login", "--override", "sise");
  expect(message).toContain("size");
});

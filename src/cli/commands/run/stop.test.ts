import { expect, it } from "vitest";
import { aStory, aTask, newProject, type Project } from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";

function oneStory(): Project {
  const project = newProject();
  project.write(".saga/stories/add-login/story.json", aStory("add-login"));
  project.write(".saga/stories/add-login/form.json", aTask("form"));
  return project;
}

it("says that nothing is running, and that a story is not", async () => {
  const project = oneStory();
  expect((await project.saga("stop", "--all")).stdout).toBe("Nothing is running.\n");
  const { stdout, exitCode } = await project.saga("stop", "add-login");
  expect({ stdout, exitCode }).toEqual({ stdout: "add-login is not running.\n", exitCode: 0 });
});

it("refuses to stop nothing in particular, and what does not exist", async () => {
  const project = oneStory();
  expect((await misused(project, "stop")).message).toBe("Name a story, or use --all.");
  expect((await refused(project, "stop", "add-logn")).message).toBe("There is no story add-logn.");
});

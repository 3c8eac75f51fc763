import { expect, it } from "vitest";
import { aStory, newProject } from "../../../../test/support/project.ts";
import { refused } from "../../../../test/support/refused.ts";

it("moves a story back, and says so again the second time", async () => {
  const project = newProject();
  project.write(".saga/archive/add-login/story.json", aStory("add-login", { status: "completed" }));
  expect((await project.saga("unarchive", "add-login")).exitCode).toBe(0);
  expect(project.json(".saga/stories/add-login/story.json")).toMatchObject({ id: "add-login" });
  const again = await project.saga("unarchive", "add-login");
  expect(again).toMatchObject({ exitCode: 0 });
  expect(again.stdout).toContain("not in the archive");
});

it("refuses a story that does not exist", async () => {
  expect((await refused(newProject(), "unarchive", "add-login")).message).toBe(
    "There is no story add-login.",
  );
});

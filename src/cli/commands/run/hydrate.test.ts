import { expect, it } from "vitest";
import {
  aStory,
  aTask,
  newFolder,
  newProject,
  snapshot,
} from "../../../../test/support/project.ts";

it("loads the tasks of a story into a list, and leaves the story's files alone", async () => {
  const project = newProject();
  project.write(".saga/stories/add-login/story.json", aStory("add-login"));
  project.write(".saga/stories/add-login/form.json", aTask("form"));
  const home = newFolder();
  const env = { HOME: home.path, PATH: process.env["PATH"] };
  const before = snapshot(project.path);
  const { exitCode, stdout } = await project.sagaWithEnv(env, "hydrate add-login --list x");
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: `Loaded 1 task into ${home.path}/.claude/tasks/x\nUse it with CLAUDE_CODE_TASK_LIST_ID=x\n`,
  });
  expect(home.json(".claude/tasks/x/form.json")).toMatchObject({ id: "form", status: "pending" });
  expect(snapshot(project.path)).toBe(before);
  const again = await project.sagaWithEnv(env, "hydrate", "add-login", "--list", "x");
  expect(again.stderr).toContain("The task list x already exists.");
});

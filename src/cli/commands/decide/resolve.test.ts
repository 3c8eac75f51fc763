import { expect, it } from "vitest";
import { aStory, aTask, newProject, type Project } from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";

function oneStory(): Project {
  const project = newProject();
  project.write(".saga/stories/add-login/story.json", aStory("add-login"));
  project.write(".saga/stories/add-login/form.json", aTask("form"));
  return project;
}

const QUESTION = "## 2026-11-15T21:48:00.000Z Blocker b1: Which database?\n";

it("an answer is recorded in the journal, with the next command", async () => {
  const project = oneStory();
  project.write(".saga/stories/add-login/journal.md", QUESTION);
  const { stdout } = await project.saga("resolve", "add-login", "PostgreSQL.");
  expect(stdout).toBe(
    "Answered question b1 of add-login. Continue the story: `saga run add-login`.\n",
  );
  expect(project.read(".saga/stories/add-login/journal.md")).toContain(
    "Resolution b1: PostgreSQL.",
  );
});

it("names the questions that stay open", async () => {
  const project = oneStory();
  const second = QUESTION.replace("b1: Which database?", "b2: Which port?");
  project.write(".saga/stories/add-login/journal.md", `${QUESTION}\n${second}`);
  const { message, hint } = await refused(project, "resolve", "add-login", "PostgreSQL.");
  expect(message).toBe("The story add-login has 2 open questions.");
  expect(hint).toBe("Name one of them: b1, b2.");
  const { stdout } = await project.saga("resolve", "add-login", "--blocker", "b1", "PostgreSQL.");
  expect(stdout).toContain("Still open: b2 Which port?");
});

it("refuses an empty answer, and one that no question waits for", async () => {
  const project = oneStory();
  expect((await misused(project, "resolve", "add-login", " ")).message).toBe(
    "The answer is empty.",
  );
  expect((await refused(project, "resolve", "add-login", "Yes.")).message).toBe(
    "The story add-login has no open questions.",
  );
});

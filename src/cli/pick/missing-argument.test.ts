import { expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../../test/support/project.ts";
import { misused } from "../../../test/support/refused.ts";
import { missingName, withArgument } from "./missing-argument.ts";

function newStories() {
  const project = newProject();
  for (const id of ["add-login", "add-logout"]) {
    project.write(`.saga/stories/${id}/story.json`, aStory(id));
    project.write(`.saga/stories/${id}/form.json`, aTask("form"));
  }
  return project;
}

it("a person at a terminal chooses the story that they did not name", async () => {
  const project = newStories();
  const choice = { answer: "", choice: "add-logout" };
  const { stdout, stderr } = await project.sagaAnswered(choice, "show");
  expect(stderr).toContain(
    "saga show: which story or epic?\nadd-login  ready: Title of add-login\n",
  );
  expect(stdout).toContain("Title of add-logout");
});

it("a person is asked for the story and for the text", async () => {
  const project = newStories();
  const { stdout, stderr } = await project.sagaAnswered(
    { answer: "-- keep it short", choice: "add-login" },
    "note",
  );
  expect(stderr).toContain("Your note:");
  expect(stdout).toContain("The next run of add-login gets it.");
  expect(project.read(".saga/stories/add-login/journal.md")).toContain("Note: -- keep it short");
});

it("nothing happens when nothing is chosen, or when no story fits", async () => {
  const project = newStories();
  const none = await project.sagaAnswered({ answer: "" }, "logs");
  expect([none.exitCode, none.stderr]).toEqual([
    1,
    expect.stringContaining("`saga logs` applies to no story right now."),
  ]);
  const left = await project.sagaAnswered({ answer: "", choice: "other" }, "journal");
  expect([left.exitCode, left.stderr]).toEqual([1, expect.stringContaining("Nothing was chosen.")]);
});

it("in a script, and with --json, a missing argument is an error", async () => {
  const project = newStories();
  expect((await misused(project, "journal")).message).toBe("Missing argument <story>.");
  const { exitCode } = await project.sagaAnswered(
    { answer: "", choice: "add-login" },
    "journal --json",
  );
  expect(exitCode).toBe(64);
});

it("an argument is added where no option can take it", () => {
  expect(withArgument(["--override", "secret"], "a")).toEqual(["--override", "secret", "--", "a"]);
  expect(withArgument(["--", "a"], "b")).toEqual(["--", "a", "b"]);
  expect(missingName("error: missing required argument 'story'")).toBe("story");
  expect(missingName("error: too many arguments")).toBeUndefined();
});

import { expect, it } from "vitest";
import { aStory, aTask, anEpic, newProject } from "../../../test/support/project.ts";
import { openStore } from "../../store/file-store.ts";
import { choicesFor } from "./choices.ts";

it("a choice has the id, the state and the title", async () => {
  const project = newProject();
  project.write(".saga/epics/auth/epic.json", anEpic("auth", [{ id: "auth--login" }]));
  project.write(
    ".saga/stories/auth--login/story.json",
    aStory("auth--login", { epic: "auth", title: "Log in" }),
  );
  project.write(".saga/stories/auth--login/form.json", aTask("form"));
  const overview = await openStore(project.path).overview();
  const story = { value: "auth--login", about: "ready: Log in" };
  const epic = { value: "auth", about: "epic, pending: Title of auth" };
  expect(choicesFor(overview, "run", "story-or-epic")).toEqual([story, epic]);
  expect(choicesFor(overview, "run", "story")).toEqual([story]);
  expect(choicesFor(overview, "epic run", "epic")).toEqual([epic]);
  expect(choicesFor(overview, "merge", "story")).toEqual([]);
});

import { describe, expect, it } from "vitest";
import { anEpic, aStory, aTask, newProject, type Project } from "../../../test/support/project.ts";
import { newReading } from "./find.ts";
import { layoutOf } from "./layout.ts";
import { readEpic, readStory } from "./read.ts";

const FOLDER = ".saga/stories/one";

function read(project: Project, isThorough = false) {
  const at = layoutOf(project.path);
  const reading = newReading(isThorough);
  const folder = `${at.saga}/stories/one`;
  const record = readStory(at, { id: "one", folder, source: "project" }, reading);
  return { record, problems: reading.problems.map(({ message }) => message) };
}

function oneStory(): Project {
  const project = newProject();
  project.write(`${FOLDER}/story.json`, aStory("one", { own: "kept" }));
  project.write(`${FOLDER}/form.json`, aTask("form", { blockedBy: ["base"] }));
  project.write(`${FOLDER}/base.json`, aTask("base", { own: 1 }));
  return project;
}

describe("a story", () => {
  it("is read with its tasks in order, its journal, and fields that Saga does not know", () => {
    const project = oneStory();
    project.write(`${FOLDER}/journal.md`, "# Journal\n");
    const { record, problems } = read(project);
    expect(problems).toEqual([]);
    expect(record?.tasks.map(({ id }) => id)).toEqual(["base", "form"]);
    expect(record?.journal).toBe("# Journal\n");
    expect(record?.fields).toMatchObject({ own: "kept" });
    expect(record?.taskFields.get("base")).toMatchObject({ own: 1 });
  });

  it.each([
    ["broken task", "form.json", "{", "This is not valid JSON"],
    ["invalid task", "form.json", aTask("form", { blockedBy: 7 }), "blockedBy"],
    ["task with another's id", "form.json", aTask("other"), 'The id is "other"'],
    ["story with another's id", "story.json", aStory("two"), 'The id is "two"'],
  ])("is left out because of a %s, with the problem", (_, file, content, message) => {
    const project = oneStory();
    project.write(`${FOLDER}/${file}`, content);
    const { record, problems } = read(project);
    expect(record).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  it("without a story.json is reported, and so is a missing folder", () => {
    const project = newProject();
    project.write(`${FOLDER}/form.json`, aTask("form"));
    expect(read(project).problems).toEqual(["The story one has no story.json."]);
    expect(read(newProject()).problems).toHaveLength(1);
  });

  it("follows a link within .saga, and none that leads out", () => {
    const project = oneStory();
    project.link(`${FOLDER}/more.json`, "../../shared.json");
    project.write(".saga/shared.json", aTask("more"));
    expect(read(project).record?.tasks).toHaveLength(3);
    project.link(`${FOLDER}/out.json`, "../../../../outside.json");
    project.write("../outside.json", aTask("out"));
    expect(read(project).problems).toEqual(["This link leads out of .saga and is not followed."]);
  });

  it("is searched for duplicate keys only by a thorough reader", () => {
    const project = oneStory();
    const text = project.read(`${FOLDER}/base.json`).replace("{", '{ "id": "base",');
    project.write(`${FOLDER}/base.json`, text);
    expect(read(project).problems).toEqual([]);
    expect(read(project, true).problems).toEqual(['Duplicate key "id".']);
  });
});

it("an epic is read with its stories, and a missing file is reported", () => {
  const project = newProject();
  const at = layoutOf(project.path);
  const reading = newReading();
  expect(readEpic(at, "shop", reading)).toBeUndefined();
  expect(reading.problems).toHaveLength(1);
  project.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: "shop--cart" }]));
  expect(readEpic(at, "shop", newReading())?.epic.children).toMatchObject([{ id: "shop--cart" }]);
});

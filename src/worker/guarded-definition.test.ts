import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../test/support/project.ts";
import type { Fields } from "../store/project/json-text.ts";
import { restoreDefinition } from "./guarded-definition.ts";

const GUARDED = {
  checks: ["npm test"],
  needsTesting: true,
  needsReview: true,
  writeFiles: ["a.txt"],
  doneWhen: "It works.",
  avoid: "Haste.",
};

function guarded() {
  const project = newProject();
  const folder = ".saga/stories/one";
  const story = aStory("one", GUARDED);
  const form = aTask("form", { checks: ["lint"], writeFiles: ["a.txt"] });
  const page = aTask("page", { blockedBy: ["form"] });
  project.write(`${folder}/story.json`, story);
  project.write(`${folder}/form.json`, form);
  project.write(`${folder}/page.json`, page);
  const tasks = new Map<string, Fields>(Object.entries({ form, page }));
  const at = (name: string): string => join(project.path, folder, name);
  const read = (name: string): Fields => JSON.parse(readFileSync(at(name), "utf8")) as Fields;
  return {
    restore: () => restoreDefinition(join(project.path, folder), { story, tasks }),
    tasks,
    at,
    read,
    /** Writes a valid file, as an agent could. */
    edit: (name: string, change: Fields) => {
      const edited = Object.entries({ ...read(name), ...change });
      const text = Object.fromEntries(edited.filter(([, value]) => value !== undefined));
      writeFileSync(at(name), JSON.stringify(text));
    },
  };
}

describe("a story's files during a run", () => {
  it("get back the fields that the gate relies on, and keep other changes", () => {
    const { restore, read, edit } = guarded();
    const weak = { needsTesting: false, needsReview: false, writeFiles: ["**"], avoid: undefined };
    edit("story.json", { ...weak, checks: undefined, description: "Another." });
    edit("form.json", { checks: [], writeFiles: undefined });
    edit("page.json", { blockedBy: [] });
    expect(restore()).toEqual([
      "story.json (checks, needsTesting, needsReview, writeFiles, avoid)",
      "form.json (checks, writeFiles)",
      "page.json (blockedBy)",
    ]);
    expect(read("story.json")).toMatchObject({ ...GUARDED, description: "Another." });
    expect(read("form.json")).toMatchObject({ checks: ["lint"], writeFiles: ["a.txt"] });
    expect(read("page.json")).toMatchObject({ blockedBy: ["form"] });
    expect(restore()).toEqual([]);
  });

  it("lose such fields if they were added", () => {
    const { restore, read, edit } = guarded();
    edit("page.json", { writeFiles: ["**"], splitFrom: "form" });
    expect(restore()).toEqual(["page.json (writeFiles, splitFrom)"]);
    expect(read("page.json")).toEqual(aTask("page", { blockedBy: ["form"] }));
  });

  it("lose tasks that Saga did not add, and the content of those is reported", () => {
    const { restore, tasks, at } = guarded();
    writeFileSync(at("mine.json"), JSON.stringify(aTask("mine")));
    writeFileSync(at("broken.json"), "{");
    expect(restore().toSorted()).toEqual([
      expect.stringMatching(/^broken\.json \(removed, .*its content was \{\)$/),
      expect.stringMatching(/^mine\.json \(removed, .*its content was \{"id":"mine"/),
    ]);
    expect(existsSync(at("mine.json"))).toBe(false);
    writeFileSync(at("fix.json"), JSON.stringify(aTask("fix")));
    tasks.set("fix", aTask("fix"));
    expect(restore()).toEqual([]);
  });
});

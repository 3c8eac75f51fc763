import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../test/support/project.ts";
import { openStore } from "../store/file-store.ts";
import type { Fields } from "../store/project/json-text.ts";
import { newBoard } from "./task-board.ts";
import { guardDefinition } from "./guarded-definition.ts";

const GUARDED = {
  checks: ["npm test"],
  needsTesting: true,
  needsReview: true,
  writeFiles: ["a.txt"],
  doneWhen: "It works.",
  avoid: "Haste.",
};

async function guarded() {
  const project = newProject();
  const folder = ".saga/stories/one";
  project.write(`${folder}/story.json`, aStory("one", GUARDED));
  project.write(`${folder}/form.json`, aTask("form", { checks: ["lint"], writeFiles: ["a.txt"] }));
  project.write(`${folder}/page.json`, aTask("page", { blockedBy: ["form"] }));
  const story = await openStore(project.path).readStory("one");
  const definition = guardDefinition(story, newBoard(story.tasks));
  const at = (name: string): string => join(project.path, folder, name);
  const read = (name: string): Fields => JSON.parse(readFileSync(at(name), "utf8")) as Fields;
  return {
    definition,
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
  it("get back the fields that the gate relies on, and keep other changes", async () => {
    const { definition, read, edit } = await guarded();
    const weak = { needsTesting: false, needsReview: false, writeFiles: ["**"], avoid: undefined };
    edit("story.json", { ...weak, checks: undefined, description: "Another." });
    edit("form.json", { checks: [], writeFiles: undefined });
    edit("page.json", { blockedBy: [] });
    expect(definition.restore()).toEqual([
      "story.json (checks, needsTesting, needsReview, writeFiles, avoid)",
      "form.json (checks, writeFiles)",
      "page.json (blockedBy)",
    ]);
    expect(read("story.json")).toMatchObject({ ...GUARDED, description: "Another." });
    expect(read("form.json")).toMatchObject({ checks: ["lint"], writeFiles: ["a.txt"] });
    expect(read("page.json")).toMatchObject({ blockedBy: ["form"] });
    expect(definition.restore()).toEqual([]);
  });

  it("lose such fields if they were added", async () => {
    const { definition, read, edit } = await guarded();
    edit("page.json", { writeFiles: ["**"], splitFrom: "form" });
    expect(definition.restore()).toEqual(["page.json (writeFiles, splitFrom)"]);
    expect(read("page.json")).toEqual(aTask("page", { blockedBy: ["form"] }));
  });

  it("lose tasks that Saga did not add, and the content of those is reported", async () => {
    const { definition, at } = await guarded();
    writeFileSync(at("mine.json"), JSON.stringify(aTask("mine")));
    writeFileSync(at("broken.json"), "{");
    const restored = definition.restore().toSorted();
    expect(restored).toEqual([
      expect.stringMatching(/^broken\.json \(removed, .*its content was \{\)$/),
      expect.stringMatching(/^mine\.json \(removed, .*its content was \{"id":"mine"/),
    ]);
    expect(existsSync(at("mine.json"))).toBe(false);
    writeFileSync(at("fix.json"), JSON.stringify(aTask("fix")));
    definition.updateTasks(new Map([["fix", aTask("fix")]]));
    expect(definition.restore()).toEqual([]);
  });

  it("are judged as held in memory", async () => {
    const { definition, edit } = await guarded();
    edit("story.json", { checks: [] });
    expect(definition.story()).toMatchObject(GUARDED);
  });
});

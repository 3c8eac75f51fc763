import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../test/support/project.ts";
import { openStore } from "../store/file-store.ts";
import type { Fields } from "../store/project/json-text.ts";
import { newBoard } from "./task-board.ts";
import { holdDefinition } from "./held-definition.ts";

const GUARDED = {
  checks: ["npm test"],
  needsTesting: true,
  needsReview: true,
  writeFiles: ["a.txt"],
  doneWhen: "It works.",
  avoid: "Haste.",
};

async function held() {
  const project = newProject();
  const folder = ".saga/stories/one";
  project.write(`${folder}/story.json`, aStory("one", GUARDED));
  project.write(`${folder}/form.json`, aTask("form", { checks: ["lint"], writeFiles: ["a.txt"] }));
  project.write(`${folder}/page.json`, aTask("page", { blockedBy: ["form"] }));
  const story = await openStore(project.path).readStory("one");
  const definition = holdDefinition(story, newBoard(story.tasks));
  const at = (name: string): string => join(project.path, folder, name);
  const read = (name: string): Fields => JSON.parse(readFileSync(at(name), "utf8")) as Fields;
  return {
    definition,
    at,
    read,
    /** As an agent would, with something else that makes sense. */
    edit: (name: string, change: Fields) => {
      const edited = Object.entries({ ...read(name), ...change });
      const text = Object.fromEntries(edited.filter(([, value]) => value !== undefined));
      writeFileSync(at(name), JSON.stringify(text));
    },
  };
}

describe("a story's files in a worker's hands", () => {
  it("get back what the gate goes by, and keep the rest as someone has written it", async () => {
    const { definition, read, edit } = await held();
    const weak = { needsTesting: false, needsReview: false, writeFiles: ["**"], avoid: undefined };
    edit("story.json", { ...weak, checks: undefined, description: "Another." });
    edit("form.json", { checks: [], writeFiles: undefined });
    edit("page.json", { blockedBy: [] });
    expect(definition.mend()).toEqual([
      "story.json (checks, needsTesting, needsReview, writeFiles, avoid)",
      "form.json (checks, writeFiles)",
      "page.json (blockedBy)",
    ]);
    expect(read("story.json")).toMatchObject({ ...GUARDED, description: "Another." });
    expect(read("form.json")).toMatchObject({ checks: ["lint"], writeFiles: ["a.txt"] });
    expect(read("page.json")).toMatchObject({ blockedBy: ["form"] });
    expect(definition.mend()).toEqual([]);
  });

  it("lose what was added to them of that kind", async () => {
    const { definition, read, edit } = await held();
    edit("page.json", { writeFiles: ["**"], splitFrom: "form" });
    expect(definition.mend()).toEqual(["page.json (writeFiles, splitFrom)"]);
    expect(read("page.json")).toEqual(aTask("page", { blockedBy: ["form"] }));
  });

  it("have no tasks but those that Saga knows; what a removed one said is told", async () => {
    const { definition, at } = await held();
    writeFileSync(at("mine.json"), JSON.stringify(aTask("mine")));
    writeFileSync(at("broken.json"), "{");
    const said = definition.mend().toSorted();
    expect(said).toEqual([
      expect.stringMatching(/^broken\.json \(removed, .*it said \{\)$/),
      expect.stringMatching(/^mine\.json \(removed, .*it said \{"id":"mine"/),
    ]);
    expect(existsSync(at("mine.json"))).toBe(false);
    writeFileSync(at("fix.json"), JSON.stringify(aTask("fix")));
    definition.learnTasks(new Map([["fix", aTask("fix")]]));
    expect(definition.mend()).toEqual([]);
  });

  it("are judged as they are held", async () => {
    const { definition, edit } = await held();
    edit("story.json", { checks: [] });
    expect(definition.story()).toMatchObject(GUARDED);
  });
});

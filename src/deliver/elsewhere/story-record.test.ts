import { expect, it } from "vitest";
import { aStory, aTask } from "../../../test/support/project.ts";
import { recordIn } from "./story-record.ts";

const FILES: Readonly<Record<string, unknown>> = {
  "story.json": aStory("add-login", { checks: ["npm test"] }),
  "two.json": aTask("two", { blockedBy: ["one"] }),
  "one.json": aTask("one"),
};

const read = (change: Readonly<Record<string, unknown>> = {}) =>
  recordIn(
    "add-login",
    new Map(
      Object.entries({ ...FILES, ...change }).map(([name, file]) => [
        name,
        typeof file === "string" ? file : JSON.stringify(file),
      ]),
    ),
  );

it("reads a story, its tasks and its journal", () => {
  const record = read({ "journal.md": "# Journal\n" });
  expect(record).toMatchObject({ id: "add-login", source: "elsewhere", journal: "# Journal\n" });
  expect(record?.story.checks).toEqual(["npm test"]);
  expect(record?.tasks.map(({ id }) => id).toSorted()).toEqual(["one", "two"]);
});

it.each([
  ["another story", { "story.json": aStory("other") }],
  ["no story", { "story.json": "" }],
  ["a task that is broken", { "two.json": "{" }],
  ["a task under another name", { "three.json": aTask("two") }],
])("reads nothing from %s", (_, change) => {
  expect(read(change)).toBeUndefined();
});

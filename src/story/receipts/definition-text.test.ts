import { expect, it } from "vitest";
import { definitionText, parseDefinition } from "./definition-text.ts";

const story = { checks: ["npm test"], needsTesting: false, needsReview: true };
const task = { id: "form", checks: [], writeFiles: ["src/**"] };
const tasks = [task];

it("is the same for stories that ask for the same, whatever else they say", () => {
  const more = { story: { title: "Login", ...story }, tasks: [{ subject: "Form", ...task }] };
  expect(definitionText(more)).toBe(definitionText({ story, tasks }));
  const other = { story: { ...story, needsReview: false }, tasks };
  expect(definitionText(other)).not.toBe(definitionText({ story, tasks }));
});

it("is read back as it was, and not at all when something is missing", () => {
  const text = definitionText({ story, tasks });
  expect(parseDefinition(JSON.parse(text))).toEqual({ story, tasks });
  expect(parseDefinition({ story })).toBeUndefined();
  expect(parseDefinition(undefined)).toBeUndefined();
});

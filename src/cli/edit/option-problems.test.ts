import { expect, it } from "vitest";
import type { Problem } from "../../errors.ts";
import { asOption } from "./option-problems.ts";

const FILE = ".saga/stories/s/story.json";
const problem = (more: Partial<Problem>): Problem => ({
  file: FILE,
  line: 3,
  severity: "error",
  message: "`labels[0]` is empty.",
  fix: "Fill it in.",
  ...more,
});

it("names the option of an invalid field, also inside of others", () => {
  const path = ["stories", 0, "labels", 0];
  expect(asOption(problem({ path, reason: "is empty" }), FILE)).toEqual({
    file: "--label",
    severity: "error",
    message: "The value is empty.",
    fix: "Fill it in.",
  });
});

it("keeps a message that is not about the value alone", () => {
  const message = "Task t waits for nope, which is not a task of this story.";
  expect(asOption(problem({ path: ["blockedBy", 0], message }), FILE)).toMatchObject({
    file: "--blocked-by",
    message,
  });
});

it.each([
  ["of another file", problem({ file: "other.json", path: ["title"] })],
  ["of a field without an option", problem({ path: ["children", 0, "id"] })],
  ["without a field", problem({})],
])("does not change a problem %s", (_, unchanged) => {
  expect(asOption(unchanged, FILE)).toBe(unchanged);
});

import { expect, it } from "vitest";
import { initQuestions } from "./questions.ts";

const settings = (answers: readonly string[], check?: string) =>
  initQuestions({ check }).map(({ settingOf, fallback }, at) => settingOf(answers[at] || fallback));

it("Enter takes every default: the detected check, and no other setting", () => {
  expect(settings([])).toEqual([undefined, undefined, undefined, undefined]);
  expect(settings([], "npm test")[0]).toEqual({ key: "plan.checks", value: ["npm test"] });
});

it("answers become settings", () => {
  expect(settings(["make test", "never", "no", "$20"], "npm test")).toEqual([
    { key: "plan.checks", value: ["make test"] },
    { key: "git.push", value: "never" },
    { key: "notices.desktop", value: false },
    { key: "budget.day", value: 20 },
  ]);
  expect(settings(["-"], "npm test")[0]).toBeUndefined();
});

it.each([
  [1, "sometimes", "Use one of: auto, always, never."],
  [2, "constructor", "Use one of: auto, yes, no."],
  [3, "much", "Write a number, such as 20."],
  [3, "-1", "Write a number, such as 20."],
])("question %i refuses %s", (at, answer, sentence) => {
  const question = initQuestions({ check: undefined })[at];
  expect(() => question?.settingOf(answer)).toThrow(sentence);
});

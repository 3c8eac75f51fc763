import { expect, it } from "vitest";
import { storySchema } from "../definition/story.ts";
import { taskSchema } from "../definition/task.ts";
import { inspectorPrompt, verdictProblem } from "./inspector-verdict.ts";

const finding = { message: "It crashes." };

it.each([
  [true, []],
  [false, [finding]],
])("a verdict of %s with the findings %j is consistent", (isPassed, findings) => {
  expect(verdictProblem({ isPassed, summary: "Tried it.", findings })).toBeUndefined();
});

it.each([
  [true, [finding], "A story that passes has no findings."],
  [false, [], "List in findings what has to change"],
])("a verdict of %s with the findings %j contradicts itself", (isPassed, findings, problem) => {
  expect(verdictProblem({ isPassed, summary: "Tried it.", findings })).toContain(problem);
});

it("an inspector gets the story, its tasks and the diff, which is cut when it is long", () => {
  const story = storySchema.parse({ id: "s", title: "Search", description: "People search." });
  const task = taskSchema.parse({ id: "t", subject: "Index", description: "d", doneWhen: "Fast." });
  const prompt = (diff: string): string =>
    inspectorPrompt({ inspector: "review", story, tasks: [task], diff });
  expect(prompt("+short")).toContain("```diff\n+short\n```");
  expect(prompt("+short")).toContain("- t: Index (done when: Fast.)");
  expect(prompt("+short")).toContain("People search.");
  expect(prompt("+short")).toMatch(/^You are the reviewer/);
  expect(prompt("x".repeat(60_001))).toContain("x\n… (cut; read the files)");
});

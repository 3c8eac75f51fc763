import { expect, it } from "vitest";
import { parseCommits } from "./story-range.ts";

const record = (...fields: readonly string[]): string => `${fields.join("\0")}\u001e\n`;

it("lists a story's commits, oldest first, each with the task that it completes or is part of", () => {
  const text = [
    record("c3", "2026-01-03", "Not of a task", "", ""),
    record("c2", "2026-01-02", "The rest", "form", ""),
    record("c1", "2026-01-01", "A part", "", "form"),
  ].join("");
  expect(parseCommits(text)).toEqual([
    { commit: "c1", at: "2026-01-01", subject: "A part", task: "form" },
    { commit: "c2", at: "2026-01-02", subject: "The rest", task: "form" },
    { commit: "c3", at: "2026-01-03", subject: "Not of a task", task: undefined },
  ]);
  expect(parseCommits("")).toEqual([]);
});

import { expect, it } from "vitest";
import { describePullRequest } from "./pull-request-line.ts";

const RECORD = { ref: "local/1", number: 1, title: "", body: "", head: "story/a", base: "main" };

it.each([
  [
    { ...RECORD, state: "open", isDraft: true },
    "#1 (local, not on GitHub), draft: story/a into main",
  ],
  [
    { ...RECORD, state: "open", isDraft: false },
    "#1 (local, not on GitHub), ready for review: story/a into main",
  ],
  [
    { ...RECORD, state: "merged", isDraft: false },
    "#1 (local, not on GitHub), merged: story/a into main",
  ],
  [undefined, "#1 (local, not on GitHub)"],
] as const)("a pull request %# is described", (record, text) => {
  expect(describePullRequest("local/1", record)).toBe(text);
});

it("no pull request has no description", () => {
  expect(describePullRequest(undefined, undefined)).toBeUndefined();
});

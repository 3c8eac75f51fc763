import { expect, it } from "vitest";
import { openWorkSchema } from "./open-work.ts";

const WORK = {
  story: "one",
  title: "One",
  intent: "",
  tip: "1",
  changes: { paths: ["a"], emptied: [] },
  merges: [],
  at: "2026-01-01T00:00:00.000Z",
};

it("reads a record that does not say whether everything changed", () => {
  expect(openWorkSchema.parse(WORK).changes.isEverything).toBe(false);
});

it.each([
  ["a story that is a path", { story: "../one" }],
  ["an invalid time", { at: "yesterday" }],
  ["a merge with neither a story nor a target", { merges: [{ kind: "x", name: "y" }] }],
])("refuses %s", (_, change) => {
  expect(openWorkSchema.safeParse({ ...WORK, ...change }).success).toBe(false);
});

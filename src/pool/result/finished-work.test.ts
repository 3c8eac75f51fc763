import { expect, it } from "vitest";
import { isCommitId, namesTask } from "./finished-work.ts";

it("only a whole id of a commit is taken from a task's file, never a name or an option", () => {
  expect(isCommitId("a".repeat(40))).toBe(true);
  expect(isCommitId("0".repeat(64))).toBe(true);
  for (const text of ["main", "HEAD", "a".repeat(39), "--all", `${"a".repeat(40)}\n`, ""]) {
    expect(isCommitId(text)).toBe(false);
  }
});

it("a commit belongs to the task that its trailer names in full", () => {
  expect(namesTask("list/7", "list/7")).toBe(true);
  expect(namesTask("\nother/1\0list/7\n", "list/7")).toBe(true);
  expect(namesTask("list/70\nmy-list/7\n", "list/7")).toBe(false);
  expect(namesTask("", "list/7")).toBe(false);
});

import { expect, it } from "vitest";
import { committedAtIn } from "./write-commit.ts";

const headers = (committer: string): string =>
  ["tree 1", "author A <a@b> 100 +0000", committer].join("\n");

it("reads when a commit was committed, not when it was authored", () => {
  const text = `${headers("committer C <c@d> 200 +0100")}\n\nWork\n`;
  expect(committedAtIn(text)).toBe(200);
});

it("is not misled by a name or a message that looks like a date", () => {
  const text = `${headers("committer C > 5 +0000 <c@d> 200 -0800")}\n\ncommitter X <x@y> 999 +0000\n`;
  expect(committedAtIn(text)).toBe(200);
});

it("finds none in an object that is not a commit", () => {
  expect(committedAtIn("\n\ncommitter X <x@y> 999 +0000\n")).toBeUndefined();
  expect(committedAtIn("")).toBeUndefined();
});

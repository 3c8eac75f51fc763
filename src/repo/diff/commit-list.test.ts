import { expect, it } from "vitest";
import { byParents, messageIn } from "./commit-list.ts";

it("keeps merges apart: they bring in the work of other commits", () => {
  expect(byParents("one\ntwo one\nmerge two other\n")).toEqual({
    plain: ["one", "two"],
    merges: ["merge"],
  });
  expect(byParents("")).toEqual({ plain: [], merges: [] });
});

it("searches the message of a commit, with all its paragraphs, and none of its headers", () => {
  const headers = "tree 1\nauthor A <a@b> 1 +0000\ngpgsig -----BEGIN\n more\n -----END";
  expect(messageIn(`${headers}\n\nSubject\n\nBody\n`)).toBe("Subject\n\nBody\n");
});

import { describe, expect, it } from "vitest";
import { isOneOff, suggestField, nearestNames } from "./did-you-mean.ts";

describe("a word is one off", () => {
  it.each([
    ["lst", "list"],
    ["lists", "list"],
    ["lost", "list"],
    ["ilst", "list"],
    ["lis", "list"],
  ])("%s from %s", (word, name) => {
    expect(isOneOff(word, name)).toBe(true);
  });

  it.each([
    ["list", "list"],
    ["listing", "list"],
    ["tsil", "list"],
    ["", "list"],
  ])("but %j from %s is not", (word, name) => {
    expect(isOneOff(word, name)).toBe(false);
  });
});

describe("an unknown field", () => {
  const known = ["id", "pr", "checks", "blockedBy", "description", "writeFiles"];

  it.each([
    ["check", "checks"],
    ["blocked_by", "blockedBy"],
    ["blockedby", "blockedBy"],
    ["desciption", "description"],
    ["descirption", "description"],
    ["write-file", "writeFiles"],
  ])("%s was probably meant to be %s", (field, name) => {
    expect(suggestField(field, known)).toBe(name);
  });

  it.each([["checks"], ["ids"], ["pre"], ["prefix"], ["mine"], ["rehearsal"]])(
    "%s has no suggestion",
    (field) => {
      expect(suggestField(field, known)).toBeUndefined();
    },
  );
});

describe("the nearest names", () => {
  const flags = ["--description", "--done-when", "--priority", "--json", "--label"];

  it.each([
    ["--descripton", ["--description"]],
    ["--descritpoin", ["--description"]],
    ["--desc", ["--description"]],
    ["--prio", ["--priority"]],
    ["--labels", ["--label"]],
    ["--d", ["--description", "--done-when"]],
    ["--colour", []],
    ["-x", []],
  ])("to %s are %j", (word, names) => {
    expect(nearestNames(word, flags)).toEqual(names);
  });

  it("do not exist without names, or for a short word with no common letter", () => {
    expect(nearestNames("abc", [])).toEqual([]);
    expect(nearestNames("x", ["y"])).toEqual([]);
  });
});

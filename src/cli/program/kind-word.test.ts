import { describe, expect, it } from "vitest";
import { withoutKindWord } from "./kind-word.ts";

const without = (...words: string[]): readonly string[] => withoutKindWord(words, () => false);

describe("the kind before an id", () => {
  it("is dropped", () => {
    expect(without("story", "add-login")).toEqual(["add-login"]);
    expect(without("task", "add-login", "form", "--json")).toEqual(["add-login", "form", "--json"]);
    expect(without("epic", "user-auth")).toEqual(["user-auth"]);
  });

  it("stays if it is all there is, or the name of a story", () => {
    expect(without("story")).toEqual(["story"]);
    expect(without("story", "--json")).toEqual(["story", "--json"]);
    expect(withoutKindWord(["task", "form"], (word) => word === "task")).toEqual(["task", "form"]);
  });

  it("is not looked for further on", () => {
    expect(without("add-login", "story")).toEqual(["add-login", "story"]);
  });
});

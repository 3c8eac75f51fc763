import { describe, expect, it } from "vitest";
import { excerpt, matches, mayMatchJson, parseQuery } from "./query.ts";

describe("a query", () => {
  it.each([
    ["two words", ["two", "words"]],
    ['"step 450" Login', ["step 450", "login"]],
    ['an "open quote', ["an", "open quote"]],
    ['  "" ', []],
    ['a"b c"d', ["a", "b c", "d"]],
  ])("%s has the words %j", (text, words) => {
    expect(parseQuery(text).words).toEqual(words);
  });

  it("matches a text that has all of its words, in any field, order and case", () => {
    const query = parseQuery('timeout "two days"');
    expect(matches(query, ["Two  days", undefined, "a TIMEOUT"])).toBe(true);
    expect(matches(query, ["days two", "timeout"])).toBe(false);
    expect(matches(parseQuery(""), ["anything"])).toBe(false);
  });

  it("never rules out a line of JSON whose text matches", () => {
    const texts = ['say "hi there"', "a\\b", "tab\there", "Größe", "two\nlines", "plain"];
    for (const text of texts) {
      const query = parseQuery(text.includes('"') ? "say hi" : text);
      expect(matches(query, [text])).toBe(true);
      expect(mayMatchJson(query, JSON.stringify({ text }))).toBe(true);
    }
    expect(mayMatchJson(parseQuery("absent"), JSON.stringify({ text: "plain" }))).toBe(false);
  });
});

describe("an excerpt", () => {
  it("is the first field with a word, on one line, around that word", () => {
    const query = parseQuery("needle");
    expect(excerpt(query, ["nothing", "a\nneedle\there"])).toBe("a needle here");
    const long = excerpt(query, [`${"x ".repeat(200)}needle${" y".repeat(200)}`]) ?? "";
    expect(long.startsWith("…")).toBe(true);
    expect(long).toContain("needle");
    expect(long.length).toBeLessThanOrEqual(160);
    expect(excerpt(query, ["nothing"])).toBeUndefined();
  });
});

import { expect, it } from "vitest";
import { best, score } from "./match.ts";

const find = (query: string, ...texts: string[]): string[] =>
  best(
    query,
    texts.map((text) => ({ text, isCurrent: false })),
    ({ text }) => text,
    2,
  ).map(({ text }) => text);

it("every word of the query must match, in any order", () => {
  expect(score("form login", "Login form")).toBeGreaterThan(0);
  expect(score("form logout", "Login form")).toBeUndefined();
});

it("the start of a word beats its middle, a whole word beats scattered letters, and shorter beats longer", () => {
  expect(find("in", "login", "a form in a page")).toEqual(["a form in a page", "login"]);
  expect(find("log", "a long thing", "the log")).toEqual(["the log", "a long thing"]);
  expect(find("log", "log of the run", "log")).toEqual(["log", "log of the run"]);
});

it("an action of the current page comes first, and an empty query keeps the order", () => {
  const items = [{ text: "stop a" }, { text: "stop all of it", isCurrent: true }];
  expect(best("stop", items, ({ text }) => text, 1)).toEqual([items[1]]);
  expect(best(" ", items, ({ text }) => text, 1)).toEqual([items[0]]);
});

import { expect, it } from "vitest";
import { currentOf, type PullRequest } from "./forge.ts";

const pull = (number: number, state: PullRequest["state"]): PullRequest => ({
  ref: `local/${number}`,
  number,
  title: "x",
  body: "",
  isDraft: false,
  state,
  head: "story/cart",
  base: "main",
});

it("of a branch's pull requests the open one counts", () => {
  const found = currentOf([pull(1, "open"), pull(3, "closed"), pull(2, "merged")]);
  expect(found?.number).toBe(1);
});

it("without an open one the newest counts", () => {
  expect(currentOf([pull(1, "merged"), pull(3, "closed"), pull(2, "closed")])?.number).toBe(3);
  expect(currentOf([])).toBeUndefined();
});

import { expect, it } from "vitest";
import { changesBetween, slugOf, textsOf, valuesIn } from "./fields.ts";

const story = {
  title: "Cart",
  description: "Keep it.",
  checks: ["npm test", "a, b"],
  labels: ["ui", "web"],
  priority: 0,
  needsReview: true,
  needsTesting: false,
};

it("shows lists as lines or with commas, and turns them back", () => {
  const texts = textsOf("story", story);
  expect(texts).toMatchObject({
    title: "Cart",
    checks: "npm test\na, b",
    labels: "ui, web",
    priority: "0",
    needsReview: "true",
    needsTesting: "",
    guidance: "",
  });
  const { needsTesting: _, ...set } = story;
  expect(valuesIn("story", texts)).toEqual(set);
});

it("sends only what a person changed, and removes what was emptied", () => {
  const before = textsOf("story", story);
  expect(changesBetween("story", before, { ...before })).toEqual([]);
  const after = { ...before, title: " Basket ", labels: "", needsReview: "", checks: "npm test\n" };
  expect(changesBetween("story", before, after)).toEqual([
    { field: "title", value: "Basket" },
    { field: "checks", value: ["npm test"] },
    { field: "labels" },
    { field: "needsReview" },
  ]);
  expect(changesBetween("story", before, { ...before, title: "Cart  " })).toEqual([]);
});

it("makes an id from a title", () => {
  expect(slugOf("Sign in, with Größe!")).toBe("sign-in-with-grosse");
  expect(slugOf("日本")).toBe("");
  expect(slugOf(`${"a".repeat(49)} b`)).toBe("a".repeat(49));
});

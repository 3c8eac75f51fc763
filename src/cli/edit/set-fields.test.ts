import { expect, it } from "vitest";
import { parseAssignment, withAssignments } from "./set-fields.ts";

const known = ["id", "title", "priority", "needsReview", "labels", "checks", "guidance"];

const set = (...texts: string[]) => withAssignments({}, texts.map(parseAssignment), known);

it("gives each field a value of its type", () => {
  expect(set("priority=1", "needsReview=false", "labels=a, b", "title=3")).toEqual({
    priority: 1,
    needsReview: false,
    labels: ["a", "b"],
    title: "3",
  });
});

it("a value of the wrong type stays text, so that the schema can name it", () => {
  expect(set("priority=high", "needsReview=maybe")).toEqual({
    priority: "high",
    needsReview: "maybe",
  });
});

it("a check may contain a comma, and several are a JSON list", () => {
  expect(set("checks=node -p '[1, 2]'")).toEqual({ checks: ["node -p '[1, 2]'"] });
  expect(set('checks=["a", "b, c"]')).toEqual({ checks: ["a", "b, c"] });
  expect(() => set("checks=[a")).toThrow("not valid JSON");
});

it("only the first = separates the field, and an empty value removes it", () => {
  expect(parseAssignment("title=a=b")).toEqual({ field: "title", value: "a=b" });
  expect(withAssignments({ guidance: "old" }, [parseAssignment("guidance=")], known)).toEqual({});
  expect(() => parseAssignment("=b")).toThrow("has no field");
});

it("refuses the id and unknown fields, but keeps a field that the file has", () => {
  expect(() => set("id=other")).toThrow("cannot be changed");
  expect(() => set("titel=x")).toThrow("Unknown field titel.");
  expect(withAssignments({ own: "a" }, [parseAssignment("own=b")], known)).toEqual({ own: "b" });
});

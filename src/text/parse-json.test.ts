import { expect, it } from "vitest";
import { jsonIn } from "./parse-json.ts";

it("reads what a text says, and nothing from one that is cut off or no JSON", () => {
  expect(jsonIn('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(jsonIn("null")).toBeNull();
  expect(["", '{"a":[1,', "<html>", "undefined"].map(jsonIn)).toEqual(Array(4).fill(undefined));
});

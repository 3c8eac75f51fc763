import { expect, it } from "vitest";
import { parseJson } from "./parse-json.ts";

it("parses JSON, and returns undefined for text that is cut off or not JSON", () => {
  expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(parseJson("null")).toBeNull();
  expect(["", '{"a":[1,', "<html>", "undefined"].map(parseJson)).toEqual(Array(4).fill(undefined));
});

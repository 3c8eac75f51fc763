import { expect, it } from "vitest";
import { parseJson } from "./document.ts";

it.each([
  ["a trailing comma in an object", '{\n  "id": "a",\n}\n', "2:12", "extra comma on line 2"],
  [
    "a trailing comma in a list",
    '{\n  "l": [\n    1,\n    2,\n  ]\n}\n',
    "4:6",
    "extra comma on line 4",
  ],
  [
    "a missing comma",
    '{\n  "id": "a"\n  "title": "b"\n}\n',
    "3:3",
    "a comma is missing before this",
  ],
  ["a missing value", '{\n  "id": \n}\n', "3:1", "a value is missing here"],
  ["a missing colon", '{\n  "id" "a"\n}\n', "2:8", "a colon is missing here"],
  ["a key without quotes", '{\n  id: "a"\n}\n', "2:3", "a key in double quotes is expected here"],
  ["single quotes", "{\n  \"id\": 'a'\n}\n", "2:9", "\"'a'\" is not expected here"],
  ["a comment", '{\n  // why\n  "id": "a"\n}\n', "2:3", "JSON has no comments"],
  ["a string without an end", '{\n  "id": "a\n}\n', "2:9", "this string has no closing quote"],
  ["a file that was cut off", '{\n  "id": "a",\n  "l": [', "3:9", "the file ends too early"],
  ["a second document", "{}\n{}\n", "2:1", "unexpected text after the end"],
  ["a bad escape", '{\n  "id": "a\\q"\n}\n', "2:9", "this escape does not exist"],
])("%s is reported with its line and column", (_, text, place, words) => {
  const { problem } = parseJson("story.json", text);
  expect(`${problem?.line}:${problem?.column}`).toBe(place);
  expect(problem?.message).toBe(`This is not valid JSON: ${words}.`);
});

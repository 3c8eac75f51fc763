import { describe, expect, it } from "vitest";
import * as z from "zod";
import { locate, parseDocument, repeatedKeys, rewriteDocument } from "./document.ts";

const format = { schema: z.object({ id: z.string(), tags: z.array(z.string()).default([]) }) };

describe("a file", () => {
  it("is parsed with its defaults, and keeps its own fields beside", () => {
    expect(parseDocument("a.json", '{"id":"a","own":1}', format)).toEqual({
      value: { id: "a", tags: [] },
      fields: { id: "a", own: 1 },
    });
  });

  it("has the line and column of each problem", () => {
    const text = '{\n  "id": "a",\n  "tags": ["x", 7]\n}\n';
    expect(parseDocument("a.json", text, format).problems).toMatchObject([
      { file: "a.json", line: 3, column: 17, path: ["tags", 1] },
    ]);
  });

  it("names the nearest field around one that is missing", () => {
    expect(parseDocument("a.json", '{\n\n"tags": []}', format).problems).toMatchObject([
      { line: 1, column: 1, path: ["id"] },
    ]);
  });

  it.each([
    ["empty", " \n", "The file is empty."],
    ["cut off", '{"id": "a"', "This is not valid JSON"],
    ["written by an editor with a mark", '\uFEFF{"id":"a"}', "byte order mark"],
  ])("that is %s says so", (_, text, message) => {
    const { problems = [] } = parseDocument("a.json", text, format);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(message);
  });
});

describe("a rewritten file", () => {
  it("changes nothing but the fields that differ", () => {
    const text = '{ "id": "a",   "big": 12345678901234567890, "odd" : [1,2] }';
    const before = JSON.parse(text) as { id: string };
    const after = rewriteDocument(text, before, { ...before, id: "b" });
    expect(after).toBe(text.replace('"a"', '"b"'));
  });

  it("gains and loses fields", () => {
    const text = '{\n    "id": "a",\n    "old": 1\n}\n';
    const after = rewriteDocument(text, { id: "a", old: 1 }, { id: "a", status: "pending" });
    expect(JSON.parse(after)).toEqual({ id: "a", status: "pending" });
    expect(after).toContain('\n    "status"');
  });
});

it("a key that is there twice is found at any depth, with its place", () => {
  const text = '{\n"id": 1,\n"in": {"x": 1, "x": 2},\n"id": 2}';
  expect(repeatedKeys("a.json", text).map(({ line, message }) => [line, message])).toEqual([
    [4, 'Duplicate key "id".'],
    [3, 'Duplicate key "x".'],
  ]);
  expect(repeatedKeys("a.json", '{"a": {"x": 1}, "b": {"x": 1}}')).toEqual([]);
});

it("nothing is looked up without findings", () => {
  expect(locate("a.json", "not json", [])).toEqual([]);
});

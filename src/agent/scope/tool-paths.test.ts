import { describe, expect, it } from "vitest";
import { guessesIn, pathsIn, patternsIn, startsOf, textOf } from "./tool-paths.ts";

describe("paths in a tool's input", () => {
  it("are the texts under keys that name a path, at any depth", () => {
    const input = { file_path: "a.ts", edits: [{ targetFile: "b.ts", text: "c.ts" }], n: 1 };
    expect(pathsIn(input).toSorted()).toEqual(["a.ts", "b.ts"]);
  });

  it("are the keys of a map of files", () => {
    expect(pathsIn({ files: { "src/a.ts": "export {}" } })).toContain("src/a.ts");
  });

  it("include addresses of files, and no others", () => {
    expect(pathsIn({ url: "file:///etc/passwd" })).toEqual(["file:///etc/passwd"]);
    expect(pathsIn({ url: "https://example.com/a" })).toEqual([]);
  });

  it("are found in input that is nested ten thousand levels deep", () => {
    let input: unknown = { path: "deep" };
    for (let level = 0; level < 10_000; level++) input = { more: input };
    expect(pathsIn(input)).toEqual(["deep"]);
  });
});

describe("a guess", () => {
  it("is an absolute path under an unknown key", () => {
    expect(guessesIn({ place: "/etc/hosts", other: "etc/hosts" })).toEqual(["/etc/hosts"]);
  });

  it("is not made for prose and code", () => {
    expect(guessesIn({ content: "/etc/hosts", prompt: "/etc/hosts", place: "/a\n/b" })).toEqual([]);
  });
});

it("a text is not empty", () => {
  expect(textOf({ a: "x", b: "", c: 1 }, "a")).toBe("x");
  expect([textOf({ b: "" }, "b"), textOf({ c: 1 }, "c"), textOf(null, "a")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it("Grep takes several patterns in one text, but not within braces", () => {
  expect(patternsIn("Grep", { glob: "*.ts,*.js *.{a,b}" })).toEqual(["*.ts", "*.js", "*.{a,b}"]);
  expect(patternsIn("Glob", { pattern: "a,b" })).toEqual(["a,b"]);
  expect(patternsIn("Read", { pattern: "a" })).toEqual([]);
});

describe("a pattern starts", () => {
  it.each([
    ["src/**/*.ts", ["src"]],
    ["{src,test}/*.ts", ["test", "src"]],
    ["/**", ["/"]],
    ["*.ts", []],
    ["a/b.ts", ["a/b.ts"]],
    ["\\../x/*", ["../x"]],
  ])("%j in %j", (pattern, starts) => {
    expect(startsOf(pattern)).toEqual(starts);
  });

  it.each([["*/../../x"], ["{a,b}".repeat(9)], ["a".repeat(4097)]])(
    "somewhere unknown: %j",
    (pattern) => {
      expect(startsOf(pattern)).toBeUndefined();
    },
  );
});

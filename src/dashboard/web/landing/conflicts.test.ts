import { expect, it } from "vitest";
import type { ConflictCard } from "../../protocol/landing.ts";
import { cellText, conflictMatrix, conflictNames } from "./conflicts.ts";

const conflict = (
  story: string,
  name: string,
  kind: "story" | "target" = "story",
): ConflictCard => ({
  story,
  with: { kind, name },
  files: ["a.txt"],
  since: "2026-01-01T00:00:00.000Z",
  moreFiles: 0,
});

const CONFLICTS = [
  conflict("a", "b"),
  conflict("b", "z-outside"),
  conflict("a", "main", "target"),
  conflict("x", "y"),
];

it("lists what a story conflicts with, from both sides of a pair", () => {
  expect(conflictNames(CONFLICTS, "b")).toEqual(["a", "z-outside"]);
  expect(conflictNames(CONFLICTS, "a")).toEqual(["b", "main"]);
  // A target that has the name of a story is another thing.
  expect(conflictNames(CONFLICTS, "main")).toEqual([]);
});

it("crosses the stories of an epic with everything that they conflict with", () => {
  const matrix = conflictMatrix(CONFLICTS, ["c", "b", "a"]);
  expect(matrix?.rows).toEqual(["b", "a"]);
  expect(matrix?.columns).toEqual([
    { kind: "story", name: "b" },
    { kind: "story", name: "a" },
    { kind: "story", name: "z-outside" },
    { kind: "target", name: "main" },
  ]);
  expect(matrix?.cellAt("b", "a")).toBe(CONFLICTS[0]);
  expect(matrix?.cellAt("a", "b")).toBe(CONFLICTS[0]);
  expect(matrix?.cellAt("b", "main")).toBeUndefined();
  expect(matrix?.cellAt("b", "b")).toBeUndefined();
});

it("is empty without conflicts", () => {
  expect(conflictMatrix(CONFLICTS, ["c"])).toBeUndefined();
});

it("names the first file of a cell, and counts the others", () => {
  expect(cellText({ files: ["src/order.ts"], moreFiles: 0 })).toBe("order.ts");
  expect(cellText({ files: ["package.json", "b"], moreFiles: 3 })).toBe("package.json +4");
});

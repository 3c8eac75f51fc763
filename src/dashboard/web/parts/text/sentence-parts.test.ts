import { expect, it } from "vitest";
import { partsOf } from "./sentence-parts.ts";

it("finds code in backticks, and keeps a single backtick", () => {
  expect(partsOf("Take it with `git merge x`, and `saga merge`.")).toEqual([
    { from: 0, text: "Take it with ", isCode: false },
    { from: 13, text: "git merge x", isCode: true },
    { from: 26, text: ", and ", isCode: false },
    { from: 32, text: "saga merge", isCode: true },
    { from: 44, text: ".", isCode: false },
  ]);
  expect(partsOf("5 o` clock")).toEqual([{ from: 0, text: "5 o` clock", isCode: false }]);
  expect(partsOf("")).toEqual([]);
});

import { expect, it } from "vitest";
import { grownText, judgeSize, overCeilingEntry } from "./task-size.ts";

const CEILING = { maxFiles: 10, maxLines: 100 };

it.each([
  [{ files: 7, lines: 79 }, "small"],
  [{ files: 8, lines: 0 }, "near"],
  [{ files: 0, lines: 80 }, "near"],
  [{ files: 10, lines: 100 }, "near"],
  [{ files: 11, lines: 0 }, "over"],
  [{ files: 0, lines: 101 }, "over"],
])("a task of %o is %s", (size, expected) => {
  expect(judgeSize(size, CEILING)).toBe(expected);
});

it("every text names the size and the ceiling", () => {
  const size = { files: 11, lines: 40 };
  for (const text of [grownText(size, CEILING), overCeilingEntry("form", size, CEILING).body]) {
    expect(text).toContain("11 files and 40 lines");
    expect(text).toContain("10 files and 100 lines");
  }
});

import { expect, it } from "vitest";
import { firstLine, oneLine, truncate } from "./one-line.ts";

it("text becomes one line, with single spaces", () => {
  expect(oneLine("  a\n\n b\tc  ")).toBe("a b c");
});

it("the first line is the first with content", () => {
  expect(firstLine("\n\nGreen or blue?\n\nI cannot decide this.")).toBe("Green or blue?");
  expect(firstLine("")).toBe("");
});

it("only text that is too long is cut, and shows that it was", () => {
  expect(truncate("abcde", 5)).toBe("abcde");
  const cut = truncate("abcdef", 5);
  expect(cut.length).toBeLessThanOrEqual(5);
  expect(cut).toMatch(/^abc.*…$/);
});

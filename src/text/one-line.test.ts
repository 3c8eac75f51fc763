import { expect, it } from "vitest";
import { oneLine, truncate } from "./one-line.ts";

it("text becomes one line, with single spaces", () => {
  expect(oneLine("  a\n\n b\tc  ")).toBe("a b c");
});

it("only text that is too long is cut, and shows that it was", () => {
  expect(truncate("abcde", 5)).toBe("abcde");
  const cut = truncate("abcdef", 5);
  expect(cut.length).toBeLessThanOrEqual(5);
  expect(cut).toMatch(/^abc.*…$/);
});

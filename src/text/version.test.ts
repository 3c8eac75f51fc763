import { expect, it } from "vitest";
import { isAtLeast } from "./version.ts";

it.each([
  ["2.1.33", "2.1.9", true],
  ["2.1.9", "2.1.33", false],
  ["2.38.1", "2.38", true],
  ["2.38", "2.38", true],
  ["2", "2.1", false],
  ["3.3a", "3.2", true],
])("%s against %s: %s", (version, least, isEnough) => {
  expect(isAtLeast(version, least)).toBe(isEnough);
});

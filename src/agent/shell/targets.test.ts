import { expect, it } from "vitest";
import { UNKNOWN } from "./parse.ts";
import { absolute } from "./targets.ts";

it("a word of a command is a path from its folder, unless only the shell knows it", () => {
  expect(absolute("/w", "a/b")).toBe("/w/a/b");
  expect(absolute("/w", "/etc/x")).toBe("/etc/x");
  expect(absolute(undefined, "a")).toBeUndefined();
  expect(absolute(undefined, "/etc/x")).toBe("/etc/x");
  expect(absolute("/w", `${UNKNOWN}/x`)).toBeUndefined();
  expect(absolute("/w", "x".repeat(100_000))).toBeUndefined();
});

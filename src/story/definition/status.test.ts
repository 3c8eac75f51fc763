import { expect, it } from "vitest";
import { isStatus } from "./status.ts";

it("a status is one of three words", () => {
  expect(["pending", "in_progress", "completed"].every(isStatus)).toBe(true);
  expect(["done", "in-progress", "", undefined, 1].some(isStatus)).toBe(false);
});

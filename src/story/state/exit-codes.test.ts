import { expect, it } from "vitest";
import { EXIT, EXIT_MEANINGS } from "./exit-codes.ts";

it("each exit code has one meaning", () => {
  const codes = Object.values(EXIT);
  expect(codes).toEqual([0, 1, 2, 3, 4, 5, 64]);
  expect(Object.keys(EXIT_MEANINGS).map(Number)).toEqual(codes);
});

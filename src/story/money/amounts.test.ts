import { expect, it } from "vitest";
import { addAmounts, negative } from "./amounts.ts";

it("adds amounts by name, without rounding errors", () => {
  expect(addAmounts({ a: 0.1, b: 1 }, { a: 0.2 }, { c: 3 })).toEqual({ a: 0.3, b: 1, c: 3 });
  expect(addAmounts({ a: 5 }, negative({ a: 2, b: 1 }))).toEqual({ a: 3 });
  expect(addAmounts()).toEqual({});
});

it("takes any name", () => {
  expect(addAmounts({ constructor: 1 }, { constructor: 1 })).toEqual({ constructor: 2 });
});

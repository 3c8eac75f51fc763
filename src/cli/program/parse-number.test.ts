import { expect, it } from "vitest";
import { wholeNumber } from "./parse-number.ts";

it("accepts only digits", () => {
  expect(wholeNumber()("0")).toBe(0);
  expect(wholeNumber()("120")).toBe(120);
  for (const text of ["", " 1", "-1", "1.5", "1e3", "0x10", "many"]) {
    expect(() => wholeNumber()(text), text).toThrow("It must be a whole number.");
  }
});

it("rejects numbers outside its bounds, and names the bounds", () => {
  expect([1, 99].map((value) => wholeNumber(1, 99)(String(value)))).toEqual([1, 99]);
  expect(() => wholeNumber(1, 99)("0")).toThrow("It must be a whole number from 1 to 99.");
  expect(() => wholeNumber(1, 99)("100")).toThrow("It must be a whole number from 1 to 99.");
  expect(() => wholeNumber(1)("0")).toThrow("It must be a whole number, 1 or more.");
});

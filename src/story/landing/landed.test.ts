import { expect, it } from "vitest";
import { isElsewhere, landedSchema } from "./landed.ts";

it("is commits and nothing else", () => {
  const [one, two, three] = ["a", "b", "c"].map((digit) => digit.repeat(40));
  const landed = { tip: one, onto: two, commit: three };
  expect(landedSchema.parse({ ...landed, text: "x" })).toEqual(landed);
  expect(landedSchema.safeParse({ ...landed, commit: "d".repeat(64) }).success).toBe(true);
  for (const tip of ["", "main", "-x", "A".repeat(40), "a".repeat(41), undefined]) {
    expect(landedSchema.safeParse({ ...landed, tip }).success, String(tip)).toBe(false);
  }
});

it.each([
  [undefined, undefined, false],
  ["ann", "ann", false],
  ["bob", "ann", true],
])("work of %s is on another machine than %s: %s", (machine, own, expected) => {
  expect(isElsewhere({ machine }, own)).toBe(expected);
});

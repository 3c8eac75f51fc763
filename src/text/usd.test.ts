import { expect, it } from "vitest";
import { usd } from "./usd.ts";

it("a cost has cents, and an estimate is marked", () => {
  expect(usd(1.5)).toContain("1.50");
  expect(usd(1.5, true)).not.toBe(usd(1.5));
});

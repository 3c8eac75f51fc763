import { expect, it } from "vitest";
import { usd } from "./usd.ts";

it("a cost has cents, and an estimate is marked", () => {
  expect(usd(1.5)).toBe("$1.50");
  expect(usd(1.5, true)).toBe("~$1.50");
});

it("a cost that is less than shown is not shown as free", () => {
  expect(usd(0.0036)).toBe("<$0.01");
  expect(usd(0.0036, true)).toBe("<$0.01");
  expect(usd(0.0036, false, 4)).toBe("$0.0036");
  expect(usd(0)).toBe("$0.00");
});

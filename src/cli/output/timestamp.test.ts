import { expect, it } from "vitest";
import { stampOf } from "./timestamp.ts";

const at = new Date(2026, 0, 5, 9, 8, 7);

it("names the day only when it is not today", () => {
  expect(stampOf(at.toISOString(), at.getTime() + 1_000)).toBe("09:08:07");
  const nextDay = new Date(2026, 0, 6, 0, 0, 1).getTime();
  expect(stampOf(at.toISOString(), nextDay)).toBe("2026-01-05 09:08:07");
});

import { expect, it } from "vitest";
import { localDay } from "./local-day.ts";

it("names the local date with two digits for month and day", () => {
  expect(localDay(new Date(2026, 2, 5, 23, 59, 59).getTime())).toBe("2026-03-05");
  expect(localDay(new Date(2026, 10, 15).getTime())).toBe("2026-11-15");
});

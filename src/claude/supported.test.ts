import { expect, it } from "vitest";
import { canConfine, isSupported } from "./supported.ts";

it("a version is supported from the oldest tested one on", () => {
  expect(["2.1.32", "2.0.99", "1.9.0"].map(isSupported)).toEqual([false, false, false]);
  expect(["2.1.33", "2.1.100", "2.2.0", "3.0.0"].map(isSupported)).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

it("an older version is not asked to confine a run: it would stop at the first option", () => {
  expect(["2.1.324", "2.1.325", "2.1.1000"].map(canConfine)).toEqual([false, true, true]);
});

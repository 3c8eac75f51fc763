import { expect, it } from "vitest";
import { expectedMs, savedChecks, type CandidateCheck } from "./history.ts";

const check = (ms: number, more: Partial<CandidateCheck> = {}): CandidateCheck => ({
  command: "npm test",
  isPassed: true,
  ms,
  isReused: false,
  candidate: 1,
  ...more,
});

it("a check is expected to take as long as in the middle of its last runs", () => {
  const history = [{ checks: [check(1_000), check(9_000), check(2_000)] }];
  expect(expectedMs(history, "npm test")).toBe(2_000);
});

it("runs that failed or were not needed say nothing about the time", () => {
  const history = [{ checks: [check(1, { isReused: true }), check(2, { isPassed: false })] }];
  expect(expectedMs(history, "npm test")).toBeUndefined();
  expect(expectedMs([], "npm test")).toBeUndefined();
});

it("a batch that had to be searched saves nothing, and never less", () => {
  const searched = {
    at: "2026-01-01T00:00:00.000Z",
    ms: 1,
    from: "a",
    to: "b",
    landed: ["one"],
    ejected: "two",
    checks: [check(1), check(1), check(1)],
    flaky: [],
  };
  expect(savedChecks([searched])).toEqual({ run: 3, saved: 0 });
});

import { describe, expect, it } from "vitest";
import { flakyCandidates, nextStep, type BisectStep } from "./bisect.ts";

/** Bisects with the given checks until the end. `isGreen` gets the candidate and how often it was checked before. */
function bisected(size: number, isGreen: (candidate: number, before: number) => boolean) {
  const results = new Map<number, boolean[]>();
  const checked: number[] = [];
  for (;;) {
    const step = nextStep(size, results);
    if (step.kind !== "check") return { step, checked, results };
    const known = results.get(step.candidate) ?? [];
    results.set(step.candidate, [...known, isGreen(step.candidate, known.length)]);
    checked.push(step.candidate);
    if (checked.length > 4 * size + 4) throw new Error(`no end: ${checked.join(" ")}`);
  }
}

const found = (green: number, offender?: number): BisectStep => ({
  kind: "found",
  green,
  offender,
});

describe("a batch", () => {
  it("is checked once when it is green", () => {
    expect(bisected(8, () => true)).toMatchObject({ step: found(8), checked: [8] });
  });

  it("has its first red entry found, whatever its place and size", () => {
    for (let size = 1; size <= 20; size++) {
      for (let offender = 1; offender <= size; offender++) {
        const { step } = bisected(size, (candidate) => candidate < offender);
        expect(step, `${offender} of ${size}`).toEqual(found(offender - 1, offender));
      }
    }
  });

  it("of eight takes at most six checks to find it, the target included", () => {
    for (let offender = 1; offender <= 8; offender++) {
      const { checked } = bisected(8, (candidate) => candidate < offender);
      expect(checked.length, `${offender}: ${checked.join(" ")}`).toBeLessThanOrEqual(6);
    }
  });

  it("blames no entry when the target is red", () => {
    expect(bisected(4, () => false).step).toEqual({ kind: "target-red" });
  });

  it("does not check a target whose result is known", () => {
    const results = new Map([
      [0, [true]],
      [1, [false]],
    ]);
    expect(nextStep(1, results)).toEqual({ kind: "check", candidate: 1 });
    results.set(1, [false, false]);
    expect(nextStep(1, results)).toEqual(found(0, 1));
  });

  it("lands whole when the only red result was flaky", () => {
    const { step, results } = bisected(8, (candidate, before) => candidate !== 8 || before > 0);
    expect(step).toEqual(found(8));
    expect(flakyCandidates(results)).toEqual([8]);
  });

  it("blames the real offender although a candidate before it was red once", () => {
    const isGreen = (candidate: number, before: number): boolean =>
      candidate === 4 ? before > 0 : candidate < 7;
    expect(bisected(8, isGreen).step).toEqual(found(6, 7));
  });
});

import { expect, it } from "vitest";
import { inBatches } from "./blobs.ts";

const MB = 1_000_000;
const batches = (...sizes: readonly number[]): (readonly number[])[] => [
  ...inBatches(sizes, (size) => size),
];

it("reads at most 4 MB at a time, in the given order", () => {
  expect(batches(3 * MB, 1 * MB, 1 * MB, 3 * MB)).toEqual([
    [3 * MB, 1 * MB],
    [1 * MB, 3 * MB],
  ]);
});

it("reads a larger one alone, and leaves none out", () => {
  expect(batches(1, 9 * MB, 1, 2)).toEqual([[1], [9 * MB], [1, 2]]);
  expect(batches(9 * MB, 1)).toEqual([[9 * MB], [1]]);
  expect(batches()).toEqual([]);
});

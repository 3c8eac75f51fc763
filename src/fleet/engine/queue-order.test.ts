import { expect, it } from "vitest";
import { rankOf } from "./queue-order.ts";

it("leaves a place before each priority, and none is equal to another priority's", () => {
  const ranks = [0, 1, 2, 3, 4].flatMap((priority) => [rankOf(priority) + 1, rankOf(priority)]);
  expect(ranks).toEqual(ranks.toSorted((one, other) => other - one));
  expect(new Set(ranks).size).toBe(ranks.length);
});

import { expect, it } from "vitest";
import { inParallel } from "./in-parallel.ts";

const ITEMS = Array.from({ length: 10 }, (_, at) => at);

it("acts on a few at once, and gives the results in the order of the items", async () => {
  let running = 0;
  let most = 0;
  const act = async (item: number): Promise<number> => {
    most = Math.max(most, ++running);
    for (let turns = 10 - item; turns > 0; turns--) await Promise.resolve();
    running--;
    return item * 2;
  };
  expect(await inParallel(ITEMS, act, 3)).toEqual(ITEMS.map((item) => item * 2));
  expect(most).toBe(3);
});

it("throws the first error after all that were started have ended", async () => {
  const ended: number[] = [];
  const act = async (item: number): Promise<void> => {
    if (item === 1) throw new Error("failed");
    await Promise.resolve();
    ended.push(item);
  };
  await expect(inParallel(ITEMS, act, 2)).rejects.toThrow("failed");
  expect(ended.length).toBeGreaterThan(0);
});

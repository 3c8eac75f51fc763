import { expect, it } from "vitest";
import { nextPlace } from "./card-grid.ts";

/** Two lanes of three columns. */
const SIZES = [
  [2, 0, 1],
  [1, 0, 3],
];
const move = (lane: number, column: number, card: number, key: string) =>
  nextPlace({ lane, column, card }, `Arrow${key}`, SIZES);

it("moves within a column, and on into the next lane", () => {
  expect(move(0, 0, 0, "Down")).toEqual({ lane: 0, column: 0, card: 1 });
  expect(move(0, 0, 1, "Down")).toEqual({ lane: 1, column: 0, card: 0 });
  expect(move(1, 2, 0, "Up")).toEqual({ lane: 0, column: 2, card: 0 });
  expect(move(0, 0, 0, "Up")).toBeUndefined();
  expect(move(1, 2, 2, "Down")).toBeUndefined();
});

it("moves to the next column that has a card, not below its last one", () => {
  expect(move(0, 0, 1, "Right")).toEqual({ lane: 0, column: 2, card: 0 });
  expect(move(1, 2, 2, "Left")).toEqual({ lane: 1, column: 0, card: 0 });
  expect(move(0, 0, 0, "Left")).toBeUndefined();
});

it("ignores other keys", () => {
  expect(nextPlace({ lane: 0, column: 0, card: 0 }, "a", SIZES)).toBeUndefined();
});

import { expect, it } from "vitest";
import { duration } from "./duration.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

it.each([
  [0, "0 s"],
  [-5 * SECOND, "0 s"],
  [1499, "1 s"],
  [59.4 * SECOND, "59 s"],
  [59.6 * SECOND, "1 min"],
  [3 * MINUTE, "3 min"],
  [59.4 * MINUTE, "59 min"],
  [59.6 * MINUTE, "1 h"],
  [2 * HOUR, "2 h"],
  [47 * HOUR, "47 h"],
  [48 * HOUR, "2 days"],
  [100 * HOUR, "4 days"],
])("%i ms are %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

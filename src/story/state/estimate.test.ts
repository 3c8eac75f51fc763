import { expect, it } from "vitest";
import { estimateNote, timeLeftMs, timeLeftText, usualTask } from "./estimate.ts";

const story = (tasks: number, minutes: number) => ({ tasks, workedMs: minutes * 60_000 });

it("is the median time of a task, from at least three finished stories", () => {
  expect(usualTask([story(2, 10), story(1, 100)])).toBeUndefined();
  expect(usualTask([story(2, 10), story(1, 100), story(0, 3), story(3, 0)])).toBeUndefined();
  const usual = usualTask([story(2, 10), story(1, 100), story(4, 12)]);
  expect(usual).toEqual({ ms: 5 * 60_000, stories: 3 });
  if (!usual) return;
  expect(timeLeftMs(usual, 3)).toBe(15 * 60_000);
  expect(timeLeftMs(usual, 3, 2)).toBe(7.5 * 60_000);
  expect(timeLeftText(timeLeftMs(usual, 0))).toBe("~0 s left");
  expect(timeLeftText(timeLeftMs(usual, 3))).toBe("~15 min left");
  expect(estimateNote(usual)).toBe("Estimates are from 3 finished stories of this project.");
});

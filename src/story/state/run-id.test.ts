import { expect, it } from "vitest";
import { isFromFuture, newRunId } from "./run-id.ts";

const NOW = Date.parse("2026-11-15T12:00:00.000Z");
const DAY_MS = 86_400_000;

it("ids sort by their time", () => {
  const ids = [0, 1, 1000, DAY_MS].map((ms) => newRunId(NOW + ms, "000000"));
  expect(ids.toSorted()).toEqual(ids);
});

it("a run counts as from the future only when its clock was clearly wrong", () => {
  expect(isFromFuture(newRunId(NOW, "1a2b3c"), NOW)).toBe(false);
  expect(isFromFuture(newRunId(NOW + 30 * DAY_MS, "1a2b3c"), NOW)).toBe(true);
});

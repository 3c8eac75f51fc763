import { expect, it } from "vitest";
import { isGathering, QUIET_MS } from "./batch-window.ts";

const NOW = Date.parse("2026-01-01T00:00:10.000Z");
const arrived = (...agesMs: number[]) =>
  agesMs.map((ms) => ({ enqueuedAt: new Date(NOW - ms).toISOString() }));

it("waits while entries keep arriving", () => {
  expect(isGathering(arrived(5_000, 10), 8, NOW)).toBe(true);
  expect(isGathering(arrived(5_000, QUIET_MS), 8, NOW)).toBe(false);
});

it("does not wait for one entry alone, for a full batch, or for a clock that was set back", () => {
  expect(isGathering(arrived(10), 8, NOW)).toBe(false);
  expect(isGathering(arrived(10, 20), 2, NOW)).toBe(false);
  expect(isGathering(arrived(10, -5_000), 8, NOW)).toBe(false);
});

import { expect, it } from "vitest";
import { killedEvent } from "./killed-run.ts";

const run = { startedAt: "2026-01-01T00:00:00.000Z" };
const later = "2026-01-01T00:01:00.000Z";

it("a log without an end ends at its last event, or at the run's start", () => {
  expect(killedEvent([{ at: later, type: "run.started" }], run)?.at).toBe(later);
  expect(killedEvent([], run)?.at).toBe(run.startedAt);
});

it("a log has one end only", () => {
  expect(killedEvent([{ at: later, type: "run.killed" }], run)).toBeUndefined();
});

import { expect, it } from "vitest";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { hasRunEnded } from "./run-ended.ts";

it("a run is over with its end, or with its worker", () => {
  const worker = thisProcess();
  expect(hasRunEnded({ worker })).toBe(false);
  expect(hasRunEnded({ worker, endedAt: "2026-11-15T12:00:00.000Z" })).toBe(true);
  expect(hasRunEnded({ worker: { ...worker, startTime: "another process" } })).toBe(true);
  expect(hasRunEnded({})).toBe(false);
});

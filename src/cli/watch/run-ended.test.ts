import { expect, it } from "vitest";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { isRunOver } from "./run-ended.ts";

it("a run is over with its end, or with its worker", () => {
  const worker = thisProcess();
  expect(isRunOver({ worker })).toBe(false);
  expect(isRunOver({ worker, endedAt: "2026-11-15T12:00:00.000Z" })).toBe(true);
  expect(isRunOver({ worker: { ...worker, startTime: "another process" } })).toBe(true);
  expect(isRunOver({})).toBe(false);
});

import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { readWorker } from "../../tasks/daemon-files.ts";
import { newStatus } from "./worker-status.ts";

function newWorker() {
  const folder = newFolder().path;
  const clock = { ms: Date.parse("2026-01-01T00:00:00.000Z") };
  const status = newStatus({ name: "w1", folder, session: undefined, now: () => clock.ms });
  return { ...status, clock, file: () => readWorker(folder, "w1") };
}

it("writes a change at once, and the time of a tool call only now and then", () => {
  const { report, clock, file } = newWorker();
  report({ lastToolAt: "2026-01-01T00:00:00.500Z" });
  expect(file()?.lastToolAt).toBeUndefined();
  report({ state: "working" });
  expect(file()).toMatchObject({ state: "working", lastToolAt: "2026-01-01T00:00:00.500Z" });
  clock.ms += 60_000;
  report({ lastToolAt: "2026-01-01T00:01:00.000Z" });
  expect(file()?.lastToolAt).toBe("2026-01-01T00:01:00.000Z");
});

it("a state has lasted since it changed, not since it was last reported", () => {
  const { report, clock, file } = newWorker();
  const before = file()?.since;
  clock.ms += 1_000;
  report({ state: "starting" });
  expect(file()?.since).toBe(before);
  report({ state: "working" });
  expect(file()?.since).not.toBe(before);
});

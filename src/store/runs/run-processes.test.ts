import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import { runSchema, type Run } from "../../story/state/run.ts";
import { endProcessesOf, hasRunEnded, processesOf, unfinished } from "./run-processes.ts";

const run = (id: string, more: object = {}): Run =>
  runSchema.parse({ id, story: "one", startedAt: "2026-11-15T00:00:00.000Z", ...more });

it("finds the runs without an end", () => {
  const killed = run("20261115T000000000Z-aaaa", {});
  const done = run("20261115T000000000Z-bbbb", { endedAt: "2026-11-15T00:01:00.000Z" });
  expect(unfinished([killed, done])).toEqual([killed]);
});

it("ends the processes with the run's mark and no others", async () => {
  const [one, other] = [run("20261115T000000000Z-aaaa1"), run("20261115T000000000Z-aaaa2")];
  const start = ({ id }: Run) => {
    const env = { PATH: process.env["PATH"], [RUN_MARK]: id };
    return spawn("sleep", ["60"], { env, stdio: "ignore" });
  };
  const [mine, theirs] = [start(one), start(other)];
  await Promise.all([once(mine, "spawn"), once(theirs, "spawn")]);
  expect(processesOf(one).map(({ pid }) => pid)).toEqual([mine.pid]);
  const ended = once(mine, "exit");
  expect(await endProcessesOf([one])).toBe(1);
  await ended;
  expect(theirs.exitCode).toBeNull();
  const others = once(theirs, "exit");
  expect(await endProcessesOf([one, other])).toBe(1);
  await others;
  expect(await endProcessesOf([one, other])).toBe(0);
});

it("a run is over with its end, or with its worker", () => {
  const worker = thisProcess();
  expect(hasRunEnded({ worker })).toBe(false);
  expect(hasRunEnded({ worker, endedAt: "2026-11-15T12:00:00.000Z" })).toBe(true);
  expect(hasRunEnded({ worker: { ...worker, startTime: "another process" } })).toBe(true);
  expect(hasRunEnded({})).toBe(false);
});

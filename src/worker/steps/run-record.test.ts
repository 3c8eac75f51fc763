import { expect, it } from "vitest";
import type { RunRecord } from "../../story/state/run-record.ts";
import type { Run, RunEvent } from "../../story/state/run.ts";
import type { WorkerContext } from "../context.ts";
import { STOPPED, type StoryEnd } from "../ending.ts";
import { endRun } from "./run-record.ts";

function end(ended: StoryEnd, isStopWanted = true) {
  const notes: Partial<RunEvent>[] = [];
  let run: Partial<Run> = {
    id: "r1",
    story: "a",
    startedAt: "1970-01-01T00:00:00.000Z",
    cycles: 2,
  };
  const record = {
    run: () => ({ costUsd: 0.5, ...run }),
    redact: (text: string) => text.replace("secret", "•"),
    note: (event: Partial<RunEvent>) => void notes.push(event),
    update: (change: Partial<Run>) => void (run = { ...run, ...change }),
  } as unknown as RunRecord;
  const context = {
    now: () => 4_000,
    isStopWanted: () => isStopWanted,
  } as unknown as WorkerContext;
  return { result: endRun(record, context, ended), notes, run };
}

it("the end of a run has its reason without secrets, its cost and the next command", () => {
  const { result, notes, run } = end({ outcome: "failed", reason: "It printed secret." });
  const ended = { outcome: "failed", reason: "It printed •.", cycles: 2, ms: 4_000, costUsd: 0.5 };
  expect(notes).toMatchObject([{ type: "run.ended", ...ended, next: "saga run a" }]);
  expect(run).toMatchObject({ endedAt: "1970-01-01T00:00:04.000Z", outcome: "failed" });
  expect(result).toMatchObject({ ...ended, runId: "r1", isCutOff: false });
});

it("a stop that no person asked for is a kill", () => {
  expect(end(STOPPED).result.outcome).toBe("stopped");
  expect(end(STOPPED, false).result).toMatchObject({ outcome: "killed", isCutOff: true });
});

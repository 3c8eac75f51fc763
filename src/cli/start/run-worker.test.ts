import { expect, it } from "vitest";
import { EXIT } from "../../story/state/exit-codes.ts";
import type { RunOutcome } from "../../story/state/state.ts";
import type { WorkerResult } from "../../worker/steps/run-record.ts";
import { resultOf } from "./run-worker.ts";

it.each<[RunOutcome, number]>([
  ["done", EXIT.done],
  ["merged", EXIT.done],
  ["sent-back", EXIT.done],
  ["failed", EXIT.error],
  ["stopped", EXIT.error],
  ["killed", EXIT.error],
  ["push-failed", EXIT.pushFailed],
  ["limit", EXIT.limit],
  ["blocked", EXIT.question],
])("a run that is %s exits with %i, which its JSON repeats", (outcome, exitCode) => {
  const result = resultOf("one", { outcome } as WorkerResult);
  expect(result.exitCode).toBe(exitCode);
  expect(result.json).toMatchObject({ story: "one", outcome, exitCode });
});

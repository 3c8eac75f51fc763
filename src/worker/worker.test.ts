import { expect, it } from "vitest";
import { SagaError } from "../errors.ts";
import { failed, STOPPED_BEFORE_GATE } from "./ending.ts";
import { NotInspected } from "./steps/inspect.ts";
import { endWithoutVerdict } from "./worker.ts";

it("a gate that ended without a verdict does not fail the story", () => {
  const end = failed("The tester reached the account's limit.");
  expect(endWithoutVerdict(new NotInspected(end))).toBe(end);
  expect(endWithoutVerdict(new SagaError("stopped", "Stopped."))).toBe(STOPPED_BEFORE_GATE);
});

it("any other error is passed on", () => {
  const error = new SagaError("program-failed", "git failed.");
  expect(() => endWithoutVerdict(error)).toThrow(error);
});

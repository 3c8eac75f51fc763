import { describe, expect, it } from "vitest";
import { SagaError } from "../errors.ts";
import { endOfStop, failedBy, STOPPED, withPushError, type StoryEnd } from "./ending.ts";

const DONE: StoryEnd = { outcome: "done", reason: "All tasks are completed." };

describe("a run that was stopped", () => {
  it("is stopped when a person asked for it", () => {
    expect(endOfStop(STOPPED, true)).toEqual(STOPPED);
  });

  it("is killed when its session ended", () => {
    expect(endOfStop(STOPPED, false).outcome).toBe("killed");
  });
});

describe("a failed push", () => {
  it("turns done into push-failed, with its reason", () => {
    expect(withPushError(DONE, "rejected")).toEqual({
      outcome: "push-failed",
      reason: "All tasks are completed. The push failed: rejected",
    });
  });

  it("does not hide how the work ended otherwise", () => {
    expect(withPushError(STOPPED, "rejected")).toBe(STOPPED);
    expect(withPushError(DONE, undefined)).toBe(DONE);
  });
});

it("gives the hint of an error with its message", () => {
  const error = new SagaError("not-found", "The branch is gone.", { hint: "See `git reflog`." });
  expect(failedBy(error)).toEqual({
    outcome: "failed",
    reason: "The branch is gone. See `git reflog`.",
  });
});

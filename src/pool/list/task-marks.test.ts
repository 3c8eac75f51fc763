import { describe, expect, it } from "vitest";
import { claudeTask } from "../../../test/support/claude-list.ts";
import { countFailure, mark } from "./task-marks.ts";

const TASK = claudeTask("1");

describe("a mark", () => {
  it("changes nothing else in the task", () => {
    const task = { ...TASK, odd: 1, metadata: { label: "ui", saga: { theirs: true } } };
    expect(mark({ run: "r" })(task)).toEqual({
      ...TASK,
      odd: 1,
      metadata: { label: "ui", saga: { theirs: true, run: "r" } },
    });
  });

  it("leaves no empty object when it is removed", () => {
    expect(mark({ run: undefined })(mark({ run: "r" })(TASK))).toEqual(TASK);
  });
});

describe("a failure", () => {
  const at = "2026-01-01T00:00:00.000Z";

  it("is counted, with its reason", () => {
    expect(countFailure(0, { reason: "No.", maxAttempts: 2, at })).toEqual({
      isParked: false,
      marks: { run: undefined, attempts: 1, lastFailure: "No." },
    });
  });

  it("puts the task on hold when the limit is reached", () => {
    expect(countFailure(1, { reason: "No.", maxAttempts: 2, at })).toMatchObject({
      isParked: true,
      marks: { attempts: 2, held: { kind: "parked", why: "Failed 2 times. No.", at } },
    });
  });
});

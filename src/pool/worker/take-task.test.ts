import { describe, expect, it } from "vitest";
import { SagaError } from "../../errors.ts";
import type { ClaimerRecord } from "../../store/claims/claimer-file.ts";
import { unwritten, whyNotClaimed } from "./take-task.ts";

const worker = { listFolder: "/list" };
const by = { owner: "auto-2" } as ClaimerRecord;

describe("a task that could not be claimed", () => {
  it("is left to others if it is taken, changed or gone: that is no problem of the pool", () => {
    expect(whyNotClaimed({ kind: "held", by }, worker, "7")).toEqual({
      reason: "auto-2 has claimed it.",
    });
    expect(whyNotClaimed({ kind: "changed", why: "It is done." }, worker, "7")).toEqual({
      reason: "It is done.",
    });
    expect(whyNotClaimed({ kind: "gone" }, worker, "7")).not.toHaveProperty("problem");
  });

  it("stops the pool if its file cannot be written", () => {
    expect(whyNotClaimed({ kind: "unwritten", message: "Disk full." }, worker, "7")).toEqual({
      reason: "Disk full.",
      problem: { kind: "write-failed", file: "/list/7.json", taskId: "7", message: "Disk full." },
    });
  });
});

it("a list that Claude Code has locked for long can be written later", () => {
  expect(unwritten(new SagaError("in-use", "Locked."))).toEqual({
    kind: "changed",
    why: "Locked.",
  });
  expect(unwritten(new SagaError("not-writable", "Full."))).toMatchObject({ kind: "unwritten" });
  expect(unwritten(new Error("Odd."))).toEqual({ kind: "unwritten", message: "Odd." });
});

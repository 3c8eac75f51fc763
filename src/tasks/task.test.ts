import { describe, expect, it } from "vitest";
import { claudeTask } from "../../test/support/claude-list.ts";
import { poolTaskOf } from "./task.ts";

describe("a task of the pool", () => {
  it("has the fields of Claude's task, with the default priority if none is set", () => {
    expect(poolTaskOf(claudeTask("7", { blockedBy: ["3"] }), 5).task).toEqual({
      id: "7",
      subject: "Do 7",
      status: "pending",
      owner: undefined,
      label: undefined,
      priority: 3,
      blockedBy: ["3"],
      blocks: [],
      checks: [],
      held: undefined,
      attempts: 0,
      lastFailure: undefined,
      answers: [],
      run: undefined,
      createdAtMs: 5,
    });
  });

  it("has its priority, label, checks and history from the metadata, beside other fields there", () => {
    const held = { kind: "parked", why: "It has failed 3 times.", at: "2026-01-01T00:00:00Z" };
    const saga = {
      attempts: 3,
      lastFailure: "f",
      run: "r",
      held,
      answers: [{ question: "q", answer: "a" }],
      createdAt: "1970-01-01T00:00:09.000Z",
    };
    const metadata = { priority: 0, label: "ui_2-x", checks: ["npm test"], saga, theirs: { x: 1 } };
    expect(poolTaskOf(claudeTask("7", { metadata, owner: "auto-1" }), 5).task).toMatchObject({
      owner: "auto-1",
      label: "ui_2-x",
      priority: 0,
      checks: ["npm test"],
      held,
      attempts: 3,
      lastFailure: "f",
      answers: [{ question: "q", answer: "a" }],
      run: "r",
      createdAtMs: 9000,
    });
  });

  it("has no owner when the name is empty", () => {
    expect(poolTaskOf(claudeTask("7", { owner: "" }), 0).task?.owner).toBeUndefined();
  });

  it.each([
    [{ priority: 5 }, "`metadata.priority`"],
    [{ priority: -1 }, "`metadata.priority`"],
    [{ priority: 1.5 }, "`metadata.priority`"],
    [{ priority: "high" }, "`metadata.priority` must be a number, but is a string."],
    [{ label: "a b" }, "`metadata.label`"],
    [{ label: "" }, "`metadata.label`"],
    [{ label: 3 }, "`metadata.label`"],
    [{ checks: "npm test" }, "`metadata.checks`"],
    [{ checks: [""] }, "`metadata.checks[0]`"],
    [{ saga: { attempts: "two" } }, "`metadata.saga.attempts`"],
    [{ saga: { held: true } }, "`metadata.saga.held`"],
    [{ saga: null }, "`metadata.saga`"],
  ])("is invalid with %j, and names the field", (metadata, sentence) => {
    const { task, problem } = poolTaskOf(claudeTask("7", { metadata }), 0);
    expect(task).toBeUndefined();
    expect(problem).toContain(sentence);
  });
});

import { describe, expect, it } from "vitest";
import type { Outcome } from "../../agent/agent.ts";
import { afterRun } from "./loop.ts";

const request = { maxCycles: 10, maxMs: 60_000, maxCostUsd: 5 };
const stuck = { task: "form", reason: "Agent was idle for 6 minutes." };
const crashed = { kind: "crashed", reason: "It crashed." } as const;
const forgotten = { ...crashed, isConversationLost: true } as const;

describe("after an agent run", () => {
  it("that ended by itself, its progress is counted", () => {
    expect(after({ kind: "ended" })).toBe("count");
  });

  it("that asked a question, the story is blocked, however the run ended", () => {
    expect(after({ kind: "ended" }, { isBlocked: true })).toMatchObject({ outcome: "blocked" });
    expect(after(crashed, { isBlocked: true })).toMatchObject({ outcome: "blocked" });
  });

  it("that a usage limit ended, the next one does not count as another try", () => {
    expect(after({ kind: "limit", reason: "At the limit.", resetsAtMs: undefined })).toBe("again");
  });

  it("that reached its cost limit, the story ends with that limit", () => {
    expect(after({ kind: "over-budget", reason: "" })).toMatchObject({
      outcome: "limit",
      limit: "cost",
    });
  });

  it("that spent a budget of others too, the story waits for that budget", () => {
    const reason = "The budget of this day is spent ($10.50 of $10.00).";
    expect(after({ kind: "over-budget", reason, isShared: true })).toEqual({
      outcome: "limit",
      limit: "budget",
      reason,
    });
  });

  it("that completed its last task with the last of the budget, the story continues with its gate", () => {
    expect(after({ kind: "over-budget", reason: "" }, { isDone: true })).toBe("again");
  });

  it("that was stopped because it was stuck, its task is split", () => {
    expect(after({ kind: "stopped" }, { stuck })).toBe("split");
  });

  it("that a person stopped, nothing is split", () => {
    expect(after({ kind: "stopped" }, { stuck, isStopped: true })).toMatchObject({
      outcome: "stopped",
    });
  });

  it("that ran out of time, the story ends with that limit", () => {
    expect(after({ kind: "stopped" }, { hasTimedOut: true })).toMatchObject({
      outcome: "limit",
      limit: "time",
    });
  });

  it("that Claude Code refused, the story fails with what to do", () => {
    const refused = { kind: "refused", reason: "Not logged in.", hint: "Log in." } as const;
    expect(after(refused)).toEqual({ outcome: "failed", reason: "Not logged in. Log in." });
  });

  it("that crashed, the story fails, unless only a resumed conversation was lost", () => {
    expect(after(forgotten)).toEqual({ outcome: "failed", reason: "It crashed." });
    expect(after(forgotten, { wasResumed: true })).toBe("again");
    expect(after(crashed, { wasResumed: true })).toMatchObject({ outcome: "failed" });
  });
});

interface Facts {
  readonly isBlocked?: boolean;
  readonly hasTimedOut?: boolean;
  readonly stuck?: typeof stuck;
  readonly wasResumed?: boolean;
  readonly isStopped?: boolean;
  readonly isDone?: boolean;
}

const after = (outcome: Outcome, facts: Facts = {}) =>
  afterRun(
    { end: { outcome }, isBlocked: false, hasTimedOut: false, stuck: undefined, ...facts },
    { request, wasResumed: false, isStopped: false, isDone: false, ...facts },
  );

import { describe, expect, it } from "vitest";
import { afterGate } from "./after-gate.ts";

const FRESH = { fixes: 0, conflicts: 0 };
const task = { branch: "story/auto-1", target: "main", fixRounds: 2, summary: "Nothing to do." };
const refused = {
  kind: "refused",
  why: "Its check failed.",
  agentText: "npm test: 1 failed",
} as const;
const conflict = { kind: "conflict", files: ["a"], sides: "Both changed a." } as const;

it("a task is completed by its merged commit, or without one if nothing had to change", () => {
  const commit = "0123456789abcdef";
  expect(afterGate({ kind: "merged", commit }, FRESH, task)).toEqual({
    end: { kind: "completed", reason: "Merged into main as 0123456789ab.", commit },
  });
  expect(afterGate({ kind: "as-is" }, FRESH, task)).toEqual({
    end: { kind: "completed", reason: "Nothing to do.", commit: undefined },
  });
});

describe("work that the gate refuses", () => {
  it("goes back to its agent as often as the settings allow, and then fails", () => {
    const first = afterGate(refused, FRESH, task);
    expect(first).toMatchObject({ rounds: { fixes: 1, conflicts: 0 } });
    expect("prompt" in first && first.prompt).toContain("npm test: 1 failed");
    expect(afterGate(refused, { fixes: 1, conflicts: 0 }, task)).toHaveProperty("prompt");
    expect(afterGate(refused, { fixes: 2, conflicts: 0 }, task)).toEqual({
      end: { kind: "failed", reason: "Its check failed." },
    });
  });

  it("fails at once if no fix is allowed", () => {
    expect(afterGate(refused, FRESH, { ...task, fixRounds: 0 })).toHaveProperty(
      "end.kind",
      "failed",
    );
  });
});

describe("a conflict", () => {
  it("is resolved by the agent once, and parked for a person the second time", () => {
    const first = afterGate(conflict, FRESH, task);
    expect(first).toMatchObject({ rounds: { fixes: 0, conflicts: 1 } });
    expect("prompt" in first && first.prompt).toContain("Both changed a.");
    const second = afterGate(conflict, { fixes: 0, conflicts: 1 }, task);
    expect(second).toMatchObject({ end: { kind: "held", as: "parked" } });
  });

  it("does not use up the agent's turns to fix what the gate refuses", () => {
    expect(afterGate(refused, { fixes: 1, conflicts: 1 }, task)).toMatchObject({
      rounds: { fixes: 2, conflicts: 1 },
    });
  });
});

it("a target that others keep moving fails the attempt, so that a later one merges the work", () => {
  expect(afterGate({ kind: "moved", why: "It moved." }, FRESH, task)).toEqual({
    end: { kind: "failed", reason: "It moved." },
  });
});

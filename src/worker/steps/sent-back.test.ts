import { describe, expect, it } from "vitest";
import type { Run, RunEvent } from "../../story/state/run.ts";
import { conversationBefore, lastBill } from "./sent-back.ts";

const FEEDBACK_AT = "2026-11-15T12:00:00.000Z";
const EARLIER = "2026-11-15T11:00:00.000Z";
const LATER = "2026-11-15T13:00:00.000Z";

const run = (change: Partial<Run>): Run =>
  ({ cycles: 1, endedAt: EARLIER, conversation: "c1", ...change }) as Run;

describe("the conversation that a person sent back", () => {
  it("is the newest one that ended before the feedback", () => {
    const runs = [run({ conversation: "c2" }), run({})];
    expect(conversationBefore(FEEDBACK_AT, runs)).toBe("c2");
  });

  it("is found behind runs that never reached an agent", () => {
    const runs = [run({ cycles: 0, conversation: undefined, endedAt: LATER }), run({})];
    expect(conversationBefore(FEEDBACK_AT, runs)).toBe("c1");
  });

  it.each([
    ["an agent has run since the feedback", [run({ endedAt: LATER }), run({})]],
    ["the last run has not ended", [run({ endedAt: undefined })]],
    ["the last run had no conversation", [run({ conversation: undefined })]],
    ["there was no run", []],
  ])("does not exist if %s", (_, runs) => {
    expect(conversationBefore(FEEDBACK_AT, runs)).toBeUndefined();
  });
});

describe("the last bill of a conversation", () => {
  const started = (conversation: string): RunEvent => ({
    at: EARLIER,
    type: "agent.started",
    conversation,
  });
  const billed = (costUsd: number): RunEvent => ({
    at: EARLIER,
    type: "agent.billed",
    costUsd,
    inputTokens: 1,
    outputTokens: 2,
  });

  it("leaves out bills of other conversations in the same run", () => {
    const events = [started("c1"), billed(1), billed(2), started("c2"), billed(9)];
    expect(lastBill(events, "c1")).toEqual({
      costUsd: 2,
      inputTokens: 1,
      outputTokens: 2,
      byModel: {},
    });
  });

  it("does not exist if the agent was killed before its first bill", () => {
    expect(lastBill([started("c1")], "c1")).toBeUndefined();
  });
});

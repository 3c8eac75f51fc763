import { describe, expect, it } from "vitest";
import { agentResult } from "../../../test/support/agent-result.ts";
import type { Proposal } from "../../story/plan/split-proposal.ts";
import { judgePlanning } from "./propose-split.ts";

const proposal = { tasks: [] } as unknown as Proposal;
const nothing = { proposal: undefined, problems: [], invalid: 0 };
const ended = agentResult({ kind: "ended" });

it("a valid proposal counts, however the run ended after it", () => {
  const state = { ...nothing, proposal, invalid: 2 };
  const limit = agentResult({ kind: "limit", reason: "Limit." });
  for (const one of [ended, limit, agentResult({ kind: "crashed", reason: "Killed." })]) {
    expect(judgePlanning(state, one, true)).toEqual({ kind: "proposed", proposal });
  }
});

describe("a run without a valid proposal", () => {
  it("has failed after three attempts, with the problems of the last one", () => {
    const state = { ...nothing, problems: ["Two tasks have one id."], invalid: 3 };
    expect(judgePlanning(state, agentResult({ kind: "limit", reason: "Limit." }), false)).toEqual({
      kind: "failed",
      problems: ["Two tasks have one id."],
    });
  });

  it("is repeated after a stop or a usage limit: a person need not be asked for that", () => {
    expect(judgePlanning(nothing, ended, true)).toEqual({ kind: "stopped" });
    const limit = { kind: "limit", reason: "Limit.", resetsAtMs: 5 };
    expect(judgePlanning(nothing, agentResult(limit), false)).toEqual(limit);
  });

  it("says why it has none", () => {
    expect(judgePlanning({ ...nothing, problems: ["Odd."], invalid: 1 }, ended, false)).toEqual({
      kind: "failed",
      problems: ["Odd.", "The planning run ended without a valid proposal."],
    });
    expect(
      judgePlanning(nothing, agentResult({ kind: "stopped" }, { hasTimedOut: true }), false),
    ).toEqual({
      kind: "failed",
      problems: ["The planning run took too long."],
    });
  });
});

import { expect, it } from "vitest";
import { agentResult } from "../../../test/support/agent-result.ts";
import { judgeRepair, problemText } from "./repair-run.ts";

const ended = agentResult({ kind: "ended" });
const problem = { kind: "cycle", file: "7.json", message: "7 waits for itself." } as const;
const left = { after: [problem], copy: "/copies/1", isStopped: false };

it("the list counts, not what the agent says or how its run ended", () => {
  const fixed = { ...left, after: [] };
  for (const one of [
    ended,
    agentResult({ kind: "crashed", reason: "Killed." }),
    agentResult({ kind: "limit" }),
  ]) {
    expect(judgeRepair(one, fixed)).toEqual({ kind: "repaired", copy: "/copies/1" });
  }
  expect(judgeRepair(ended, left)).toEqual({
    kind: "not-repaired",
    copy: "/copies/1",
    why: "The repair ended, but problems remain. cycle in 7.json: 7 waits for itself.",
  });
});

it("a stop and the account's limit say nothing about the repair, so it is tried again", () => {
  expect(judgeRepair(ended, { ...left, isStopped: true })).toEqual({ kind: "stopped" });
  const limit = { kind: "limit", reason: "Limit.", resetsAtMs: 5 };
  expect(judgeRepair(agentResult(limit), left)).toEqual(limit);
});

it("a repair without result says why", () => {
  const result = judgeRepair(agentResult({ kind: "stopped" }, { hasTimedOut: true }), left);
  expect("why" in result && result.why).toMatch(/^The repair took too long\./);
});

it("problems are named with their kind and file", () => {
  expect(problemText([problem, { kind: "hung", message: "No sign." }])).toBe(
    "cycle in 7.json: 7 waits for itself. hung: No sign.",
  );
});

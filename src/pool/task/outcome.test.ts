import { expect, it } from "vitest";
import { agentResult } from "../../../test/support/agent-result.ts";
import type { PreparedTaskWork } from "./context.ts";
import { endOf, STOPPED } from "./outcome.ts";
import type { TaskAgentResult } from "./run-agent.ts";

const end = (outcome: object, more: object = {}, isStopped = false) =>
  endOf(
    {
      request: {},
      worker: {
        stop: isStopped ? AbortSignal.abort() : new AbortController().signal,
        settings: { run: { maxMinutes: 5 } },
      },
    } as unknown as PreparedTaskWork,
    agentResult(outcome, more) as TaskAgentResult,
  );

it("finished work is accepted however the run ended, unless the pool was stopped", () => {
  expect(end({ kind: "crashed", reason: "Killed." }, { finish: {} })).toBeUndefined();
  expect(end({ kind: "ended" }, { finish: {} }, true)).toBe(STOPPED);
});

it("a question comes before everything else", () => {
  const withQuestion = { question: { title: "Which?", body: " " }, finish: {} };
  expect(end({ kind: "ended" }, withQuestion)).toEqual({
    kind: "held",
    as: "blocker",
    reason: "Which?",
  });
});

it("an agent that only talks has a question, and one that says nothing has failed", () => {
  expect(end({ kind: "ended" }, { lastWords: "I cannot." })).toMatchObject({ kind: "held" });
  expect(end({ kind: "ended" })).toMatchObject({ kind: "failed" });
});

it("a stop by a limit is a failure, a stop by a person is not", () => {
  expect(end({ kind: "stopped" }, { hasTimedOut: true }, true)).toBe(STOPPED);
  expect(end({ kind: "stopped" }, { hasTimedOut: true })).toMatchObject({ kind: "failed" });
  expect(end({ kind: "stopped" }, { stuck: "It repeats itself." })).toMatchObject({
    kind: "failed",
    reason: "It repeats itself.",
  });
});

it("the account's limit returns the task; what only a person can repair stops the pool too", () => {
  expect(end({ kind: "limit", reason: "Limit." })).toEqual({ kind: "returned", reason: "Limit." });
  expect(end({ kind: "refused", reason: "No login.", hint: "Log in." })).toMatchObject({
    kind: "returned",
    problem: { needsPerson: true, message: "No login. Log in." },
  });
});

it("a task at its own cost limit has failed; one that the day's budget ended has not", () => {
  const spent = { kind: "over-budget", reason: "The budget is spent." };
  expect(end(spent)).toMatchObject({ kind: "failed" });
  expect(end({ ...spent, isShared: true })).toEqual({
    kind: "returned",
    reason: "The budget is spent.",
  });
});

import { describe, expect, it } from "vitest";
import {
  attentionOf,
  nextAfterRun,
  attentionOfEpic,
  byAttention,
  SECTIONS,
  type AttentionFacts,
} from "./attention.ts";
import { STORY_STATES } from "./state.ts";

const factsOf = (more: Partial<AttentionFacts>): AttentionFacts => ({
  id: "add-login",
  state: "ready",
  isBegun: true,
  isLanding: false,
  questions: [],
  hasConflict: false,
  isWorktreeGone: false,
  lastRun: {},
  ...more,
});

const shown = (more: Partial<AttentionFacts>): string | undefined => {
  const attention = attentionOf(factsOf(more));
  return attention && `${attention.section} | ${attention.kind} | ${attention.next}`;
};

describe("a story", () => {
  it.each([
    [{ state: "blocked" }, 'needs-you | question | saga resolve add-login "…" --run'],
    [{ state: "failed" }, "needs-you | failed | saga logs add-login"],
    [{ state: "stalled" }, "needs-you | stalled | saga logs add-login -f"],
    [{ state: "review" }, "needs-you | review | saga show add-login"],
    [
      { state: "review", lastRun: { pushError: "no such remote" } },
      "needs-you | push-failed | saga push add-login",
    ],
    [
      { state: "review", weakened: ["The check `npm test` was taken away."] },
      "needs-you | definition | saga show add-login",
    ],
    [{ lastRun: { outcome: "blocked" } }, "continue | answered | saga run add-login"],
    [{ state: "sent-back" }, "continue | sent-back | saga run add-login"],
    [{ hasConflict: true }, "continue | conflict | saga run add-login"],
    [{ lastRun: { outcome: "done" } }, "continue | new-work | saga run add-login"],
    [{ state: "stopped" }, "continue | stopped | saga resume add-login"],
    [{ state: "killed" }, "continue | killed | saga resume add-login"],
    [{ state: "limit" }, "continue | limit | saga resume add-login"],
    [{ state: "unfinished" }, "continue | unfinished | saga resume add-login"],
    [{ isBegun: false }, "start | ready | saga run add-login"],
    [{ state: "running" }, "running | running | saga logs add-login -f"],
    [{ state: "running", isLanding: true }, "landing | landing | saga show add-login"],
    [{ state: "waiting" }, undefined],
    [{ state: "pending" }, undefined],
    [{ state: "completed" }, undefined],
  ] as const)("with %j is shown as %s", (facts, expected) => {
    expect(shown(facts)).toBe(expected);
  });

  it("of every state that a person can act on is in a section", () => {
    const nowhere = STORY_STATES.filter((state) => shown({ state }) === undefined);
    expect(nowhere).toEqual(["pending", "waiting", "completed"]);
  });

  it.each([
    [{ state: "blocked", questions: ["Which?", "Why?"] }, "Which? (and 1 more)"],
    [{ state: "failed", lastRun: { reason: "The tests fail." } }, "The tests fail."],
    [{ state: "limit", lastRun: { reason: "Cost limit reached ($5.00 spent)." } }, "Cost limit"],
    [{ state: "limit", lastRun: { limit: "cycles" } }, "Limit of agent runs reached."],
    [{ state: "review", lastRun: { pushError: "no remote" } }, "not pushed: no remote"],
    [{ state: "unfinished", isWorktreeGone: true }, "Its worktree is gone"],
  ] as const)("with %j says why: %s", (facts, text) => {
    expect(attentionOf(factsOf(facts))?.text).toContain(text);
  });
});

it("the most urgent comes first, then by priority, then by name", () => {
  const all = [
    { id: "z", kind: "review" },
    { id: "d", kind: undefined },
    { id: "b", kind: "ready", priority: 3 },
    { id: "a", kind: "ready" },
    { id: "c", kind: "ready", priority: 0 },
    { id: "q", kind: "question" },
    { id: "s", kind: "stopped" },
  ] as const;
  const ids = all.toSorted(byAttention).map(({ id }) => id);
  expect(ids).toEqual(["q", "z", "s", "c", "a", "b", "d"]);
  expect(SECTIONS).toHaveLength(5);
});

it("an epic needs a person only when its own branch is ready to merge", () => {
  const epic = { id: "shop", awaitsMerge: true };
  expect(attentionOfEpic(epic)).toMatchObject({
    section: "needs-you",
    kind: "epic-merge",
    next: "saga merge shop",
  });
  expect(attentionOfEpic({ ...epic, awaitsMerge: false })).toBeUndefined();
});

it.each([
  ["done", "saga show a"],
  ["push-failed", "saga push a"],
  ["failed", "saga run a"],
  ["limit", "saga resume a"],
  ["blocked", 'saga resolve a "…" --run'],
  ["stopped", "saga resume a"],
  ["killed", "saga resume a"],
  ["merged", undefined],
] as const)("the log of a run that ended as %s names the next command", (outcome, next) => {
  expect(nextAfterRun(outcome, "a")).toBe(next);
});

import { describe, expect, it } from "vitest";
import type { InFlight } from "./in-flight.ts";
import { questionOf } from "./question.ts";

type Facts = Parameters<typeof questionOf>[0];

const facts = (change: Partial<Facts> = {}): Facts => ({
  storyId: "s",
  state: "killed",
  worktree: { path: "wt", isThere: true, changedFiles: 0 },
  branch: { name: "story/s", commit: "abc", commits: 2, target: "main" },
  lastRun: undefined,
  ...change,
});

const doneRun: InFlight["lastRun"] = {
  id: "1",
  at: "2026-11-15T12:00:00Z",
  hasEnded: true,
  outcome: "done",
  isCutOff: false,
  reason: undefined,
};

const GONE = { path: "wt", isThere: false, changedFiles: undefined };

describe("the question about an unfinished story", () => {
  it.each([
    ["killed", "is unfinished: its last run ended early.", "Resume or discard?"],
    ["failed", "is unfinished: its last run failed.", "Resume or discard?"],
    ["stopped", "is unfinished: it was stopped.", "Resume or discard?"],
    ["limit", "is unfinished: its run reached a limit.", "Resume or discard?"],
    ["blocked", "is unfinished: its agent asks a question.", "Answer or discard?"],
  ] as const)("names what happened and the answers: %s", (state, happened, answers) => {
    expect(questionOf(facts({ state }))).toBe(
      `Story s ${happened} The worktree wt is clean. ${answers}`,
    );
  });

  it.each([
    [0, "is clean."],
    [1, "has uncommitted changes (1 file)."],
    [3, "has uncommitted changes (3 files)."],
    [undefined, "cannot be read by git."],
  ])("describes a worktree with %j changed files", (changedFiles, text) => {
    const worktree = { path: "wt", isThere: true, changedFiles };
    expect(questionOf(facts({ worktree }))).toContain(`The worktree wt ${text}`);
  });

  it.each([
    ["abc", 2, "is missing; its branch story/s has 2 unmerged commits."],
    ["abc", undefined, "is missing; its branch story/s exists."],
    [undefined, undefined, "is missing, and so is its branch story/s."],
  ])("describes a missing worktree with the branch at %j", (commit, commits, text) => {
    const branch = { name: "story/s", commit, commits, target: "main" };
    expect(questionOf(facts({ worktree: GONE, branch }))).toContain(`The worktree wt ${text}`);
  });

  it("calls a done story without a worktree unmerged, not unfinished", () => {
    expect(questionOf(facts({ worktree: GONE, lastRun: doneRun }))).toMatch(
      /^Story s is not merged\./,
    );
    expect(questionOf(facts({ lastRun: doneRun }))).toMatch(/^Story s is unfinished/);
  });
});

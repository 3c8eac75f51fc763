import { describe, expect, it } from "vitest";
import {
  claimText,
  deliverText,
  gateText,
  hydrateText,
  reconcileText,
  recoverText,
  worktreeText,
} from "./step-text.ts";

describe("the log of a worker", () => {
  it("counts the processes that a killed worker left", () => {
    expect([0, 1, 2].map(claimText)).toEqual([
      "locked the story against other runs",
      "locked the story against other runs; stopped 1 leftover process of an earlier one",
      "locked the story against other runs; stopped 2 leftover processes of an earlier one",
    ]);
  });

  it("says if a worktree is from an earlier run", () => {
    const facts = { branch: "story/cart", base: { branch: "main" } };
    expect(worktreeText({ ...facts, hadWorktree: false })).toBe(
      "created on branch story/cart, from main",
    );
    expect(worktreeText({ ...facts, hadWorktree: true })).toContain("worktree already exists");
  });

  it("names recovered tasks, and counts loaded and corrected ones", () => {
    expect([recoverText([]), recoverText(["form", "page"])]).toEqual([
      "no unfinished work of an earlier run",
      "recovered completed tasks: form, page",
    ]);
    expect([hydrateText(1), reconcileText(0), reconcileText(2)]).toEqual([
      "loaded 1 task",
      "task files agree with the agent's list",
      "updated the status in 2 task files",
    ]);
  });

  it("names each part of a gate that passed once, or says why it did not pass", () => {
    const receipts = [{ gate: "diff" }, { gate: "check" }, { gate: "check" }] as const;
    expect(gateText({ receipts, refusal: undefined })).toBe("passed: diff rules, checks");
    expect(gateText({ receipts, refusal: "npm test failed." })).toBe("npm test failed.");
  });

  it("says what became of the pull request, a failed push first", () => {
    const pull = { ref: "local/1", state: "open", isDraft: true } as const;
    expect(deliverText({ pull })).toBe("#1 (local, not on GitHub) is a draft");
    expect(deliverText({ pull: { ...pull, isDraft: false } })).toBe(
      "#1 (local, not on GitHub) is ready for review",
    );
    expect(deliverText({ pull: { ...pull, state: "merged" } })).toBe(
      "#1 (local, not on GitHub) is merged",
    );
    expect(deliverText({ pull, pushError: "rejected" })).toMatch(/^push failed/);
    expect(deliverText({})).toBe("could not be updated; will retry on the next run");
  });
});

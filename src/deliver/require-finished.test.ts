import { describe, expect, it } from "vitest";
import { SagaError } from "../errors.ts";
import { requireFinished } from "./require-finished.ts";

describe("a decision on a story", () => {
  it("is possible when all of its tasks are completed, wherever its files are", () => {
    for (const source of ["worktree", "project", "archive"] as const) {
      expect(refusal(source, ["completed", "completed"])).toBeUndefined();
    }
  });

  it("is refused while tasks are open, with how many", () => {
    const { code, hint } = refusal("worktree", ["completed", "in_progress", "pending"]) ?? {};
    expect(code).toBe("not-ready");
    expect(hint).toBe("2 of 3 tasks are not completed. Continue it: `saga run cart`.");
  });

  it("is refused for a story without tasks: nothing was done yet", () => {
    expect(refusal("worktree", [])?.code).toBe("not-ready");
  });

  it("says what was refused, with the caller's own advice", () => {
    expect(refusal("worktree", ["pending"], "Answer it.")).toMatchObject({
      message: "Cannot merge cart: it is not finished.",
      hint: "Answer it.",
    });
  });

  it("names the branch when the worktree is gone: the project's copy does not show the work", () => {
    const refused = refusal("project", ["completed", "pending"], "Answer it.");
    expect(refused?.message).toContain("its work is on the branch story/cart");
  });
});

function refusal(
  source: "worktree" | "project" | "archive",
  statuses: readonly ("pending" | "in_progress" | "completed")[],
  hint?: string,
): SagaError | undefined {
  const tasks = statuses.map((status, at) => ({
    id: `t${at}`,
    subject: "Do it",
    description: "All of it.",
    status,
    blockedBy: [],
    checks: [],
  }));
  try {
    requireFinished(
      { branch: "story/cart", record: { source, tasks, story: { id: "cart" } } },
      { what: "merge cart", hint },
    );
    return undefined;
  } catch (error) {
    if (error instanceof SagaError) return error;
    throw error;
  }
}

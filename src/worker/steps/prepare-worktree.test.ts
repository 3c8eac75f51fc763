import { expect, it } from "vitest";
import { statusAtStart } from "./prepare-worktree.ts";

const done = { status: "completed" } as const;
const open = { status: "pending" } as const;

it("a completed story without new tasks stays completed: it has passed its gate", () => {
  expect(statusAtStart("completed", [done, done])).toBe("completed");
});

it("a completed story with a new task is in progress again", () => {
  expect(statusAtStart("completed", [done, open])).toBe("in_progress");
});

it("a story that has not passed its gate is in progress, although its tasks are completed", () => {
  expect(statusAtStart("in_progress", [done])).toBe("in_progress");
  expect(statusAtStart("pending", [open])).toBe("in_progress");
});

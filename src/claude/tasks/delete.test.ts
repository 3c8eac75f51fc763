import { expect, it } from "vitest";
import { without } from "./delete.ts";
import type { ClaudeCodeTask } from "./format.ts";

const task: ClaudeCodeTask = {
  id: "2",
  subject: "Do it",
  description: "",
  status: "pending",
  blocks: ["3", "4"],
  blockedBy: ["1", "3"],
  metadata: { own: true },
};

it("no task waits for a deleted one, and everything else stays", () => {
  expect(without(task, "3")).toEqual({ ...task, blocks: ["4"], blockedBy: ["1"] });
});

it("a task that does not name it is not written again", () => {
  expect(without(task, "9")).toBe(task);
});

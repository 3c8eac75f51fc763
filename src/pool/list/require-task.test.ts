import { expect, it } from "vitest";
import { claudeTask } from "../../../test/support/claude-list.ts";
import { requireOpen, requireReadable, withBlocks, withoutBlocks } from "./require-task.ts";

const TASK = claudeTask("1", { blocks: ["2"] });

it("a missing task and a broken one are different errors", () => {
  expect(requireReadable("1", { kind: "task", task: TASK })).toBe(TASK);
  expect(() => requireReadable("1", { kind: "gone" })).toThrow("There is no task");
  const broken = { kind: "broken", message: "it is empty" } as never;
  expect(() => requireReadable("1", broken)).toThrow("it is empty");
});

it("a completed task is not changed any more", () => {
  expect(() => requireOpen({ ...TASK, status: "completed" })).toThrow("is completed");
  expect(() => requireOpen({ ...TASK, status: "in_progress" })).not.toThrow();
});

it("a link to a waiting task is written once, and removed alone", () => {
  expect(withBlocks("2")(TASK).blocks).toEqual(["2"]);
  expect(withBlocks("3")(TASK).blocks).toEqual(["2", "3"]);
  expect(withoutBlocks("2")(withBlocks("3")(TASK)).blocks).toEqual(["3"]);
});

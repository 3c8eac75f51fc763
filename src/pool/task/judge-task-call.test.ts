import { describe, expect, it } from "vitest";
import { claudeTask, newList } from "../../../test/support/claude-list.ts";
import { judgeTaskCall, SAGA_SETS_IT } from "./judge-task-call.ts";

const TASKS = [
  claudeTask("1", { status: "in_progress", owner: "auto-1" }),
  claudeTask("2", { metadata: { checks: ["false"], priority: 1 } }),
  claudeTask("3", { blockedBy: ["2"] }),
];

async function refusalOf(tool: "TaskCreate" | "TaskUpdate", input: unknown): Promise<string> {
  const context = { list: newList(...TASKS), made: new Set(["3"]) };
  const verdict = await judgeTaskCall({ tool, input }, context);
  return verdict.isAllowed ? "allowed" : verdict.reason;
}

describe("an agent may not set", () => {
  it.each([
    [{ taskId: "3", status: "completed" }],
    [{ taskId: "3", status: "deleted" }],
    [{ taskId: "3", owner: "me" }],
    [{ taskId: "3", owner: "" }],
  ])("what Saga sets: %j", async (input) => {
    expect(await refusalOf("TaskUpdate", input)).toBe(SAGA_SETS_IT);
  });

  it("Saga's own metadata", async () => {
    expect(await refusalOf("TaskUpdate", { taskId: "3", metadata: { saga: null } })).toContain(
      "belongs to Saga",
    );
  });

  it.each([
    ["TaskCreate", { subject: "More", metadata: { checks: ["true"] } }],
    ["TaskUpdate", { taskId: "2", metadata: { checks: null } }],
    ["TaskUpdate", { taskId: "3", metadata: { checks: [] } }],
  ] as const)("the checks of a task: %s %j", async (tool, input) => {
    expect(await refusalOf(tool, input)).toContain("only people write checks");
  });

  it.each([
    [{ taskId: "1", description: "Less to do." }],
    [{ taskId: "2", subject: "Another" }],
    [{ taskId: "2", metadata: { priority: 4 } }],
    [{ taskId: "2", addBlockedBy: ["1"], description: "Less to do." }],
  ])("fields of a task that it did not create: %j", async (input) => {
    expect(await refusalOf("TaskUpdate", input)).toContain(
      "You may only change tasks that you created",
    );
  });
});

describe("a call that would stop the pool is refused with the reason", () => {
  it.each([
    ["TaskCreate", { subject: "More", metadata: { priority: "high" } }, "priority"],
    ["TaskCreate", { subject: "More", metadata: { label: "User Interface" } }, "label"],
    ["TaskUpdate", { taskId: "3", metadata: { priority: 9 } }, "priority"],
    ["TaskUpdate", { taskId: "3", addBlockedBy: ["99"] }, "There is no task 99."],
    ["TaskUpdate", { taskId: "3", addBlocks: ["99"] }, "There is no task 99."],
    ["TaskUpdate", { taskId: "3", addBlockedBy: "2" }, "`addBlockedBy` must be a list of ids."],
    ["TaskUpdate", { taskId: "2", addBlockedBy: ["3"] }, "2 → 3 → 2"],
    ["TaskUpdate", { taskId: "3", addBlocks: ["2"] }, "2 → 3 → 2"],
    ["TaskUpdate", { taskId: "2", addBlockedBy: ["2"] }, "2 → 2"],
    ["TaskUpdate", { taskId: "1", addBlocks: ["2"], addBlockedBy: ["3"] }, "in a cycle"],
  ] as const)("%s %j", async (tool, input, reason) => {
    expect(await refusalOf(tool, input)).toContain(reason);
  });
});

describe("every other call is allowed", () => {
  it.each([
    ["TaskCreate", { subject: "More", description: "To do.", metadata: { label: "ui" } }],
    ["TaskUpdate", { taskId: "3", description: "Better said.", metadata: { priority: 0 } }],
    ["TaskUpdate", { taskId: "2", addBlockedBy: ["1"] }],
    ["TaskUpdate", { taskId: "1", addBlocks: ["2", "3"] }],
    // Claude says so itself.
    ["TaskUpdate", { taskId: "77" }],
    ["TaskUpdate", undefined],
  ] as const)("%s %j", async (tool, input) => {
    expect(await refusalOf(tool, input)).toBe("allowed");
  });

  it("also on a list that was invalid before", async () => {
    const list = newList(claudeTask("1", { blockedBy: ["99"] }), claudeTask("2"));
    const call = { tool: "TaskUpdate", input: { taskId: "2", addBlockedBy: ["1"] } } as const;
    expect(await judgeTaskCall(call, { list, made: new Set() })).toEqual({ isAllowed: true });
  });
});

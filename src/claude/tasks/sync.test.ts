import { describe, expect, it } from "vitest";
import type { Status } from "../../story/definition/status.ts";
import { createdTask, judgeTaskUpdate, statusChange } from "./sync.ts";

const updated = (to: string, more: object = {}) => ({
  success: true,
  taskId: "add-form",
  updatedFields: ["status"],
  statusChange: { from: "pending", to },
  ...more,
});

describe("a change of status", () => {
  it.each(["pending", "in_progress", "completed"])("is what the tool says it did: %s", (to) => {
    expect(statusChange("TaskUpdate", updated(to))).toEqual({ taskId: "add-form", to });
  });

  it.each([
    ["another tool", "TaskCreate", updated("completed")],
    ["a refused update", "TaskUpdate", updated("completed", { success: false })],
    ["an update of other fields", "TaskUpdate", updated("", { statusChange: undefined })],
    ["a deletion", "TaskUpdate", updated("deleted")],
    ["an unknown status", "TaskUpdate", updated("done")],
    ["a task of Claude's own", "TaskUpdate", updated("completed", { taskId: "12" })],
    ["an invalid id", "TaskUpdate", updated("completed", { taskId: "../story" })],
    ["no id", "TaskUpdate", updated("completed", { taskId: undefined })],
    ["text", "TaskUpdate", "Updated task #add-form status"],
    ["nothing", "TaskUpdate", undefined],
  ])("is not seen in %s", (_, tool, response) => {
    expect(statusChange(tool, response)).toBeUndefined();
  });
});

describe("a new task", () => {
  it("is the one that the tool has added", () => {
    expect(createdTask("TaskCreate", { task: { id: "12", subject: "More" } })).toBe("12");
  });

  it.each([
    ["another tool", "TaskGet", { task: { id: "12" } }],
    ["nothing", "TaskCreate", undefined],
    ["text", "TaskCreate", "12"],
    ["no task", "TaskCreate", { task: null }],
    ["an id of another type", "TaskCreate", { task: { id: 12 } }],
  ])("is not seen in %s", (_, tool, response) => {
    expect(createdTask(tool, response)).toBeUndefined();
  });
});

describe("an update that the agent asks for", () => {
  const statuses: Record<string, Status> = {
    open: "pending",
    begun: "in_progress",
    done: "completed",
  };
  const judge = (input: unknown) => judgeTaskUpdate(input, (id) => statuses[id]);

  it.each([
    ["a beginning", { taskId: "open", status: "in_progress" }],
    ["a completion", { taskId: "begun", status: "completed" }],
    ["a step back of what is not completed", { taskId: "begun", status: "pending" }],
    ["a second completion", { taskId: "done", status: "completed" }],
    ["other fields of a completed task", { taskId: "done", owner: "me" }],
    ["a deletion of a task of its own", { taskId: "12", status: "deleted" }],
    ["what makes no sense, which Claude refuses itself", { status: "deleted" }],
    ["nothing", undefined],
  ])("may be %s", (_, input) => {
    expect(judge(input)).toEqual({ isAllowed: true });
  });

  it.each(["open", "begun", "done"])("may not delete a task of the story: %s", (taskId) => {
    expect(judge({ taskId, status: "deleted" })).toEqual({
      isAllowed: false,
      reason: expect.stringMatching(`${taskId} .*report_blocker`) as string,
    });
  });

  it.each(["pending", "in_progress"])("may not reopen a completed task: %s", (status) => {
    expect(judge({ taskId: "done", status })).toEqual({
      isAllowed: false,
      reason: expect.stringContaining("done is completed and committed") as string,
    });
  });
});

import { describe, expect, it } from "vitest";
import { taskSchema, type TaskInput } from "./task.ts";

const least: TaskInput = { id: "write-tests", subject: "Write tests", description: "For login." };

describe("a task", () => {
  it("is pending, without blockers and checks by default", () => {
    expect(taskSchema.parse(least)).toEqual({
      ...least,
      status: "pending",
      blockedBy: [],
      checks: [],
    });
  });

  it.each(["id", "subject", "description"])("is refused without its %s", (key) => {
    const found = taskSchema.safeParse({ ...least, [key]: undefined });
    expect(found.error?.issues).toMatchObject([{ path: [key] }]);
  });

  it("has an active form, guidance and doneWhen", () => {
    const optional = {
      ...least,
      activeForm: "Writing tests",
      status: "in_progress",
      blockedBy: ["plan-tests"],
      guidance: "One at a time.",
      doneWhen: "All pass.",
    };
    expect(taskSchema.parse(optional)).toMatchObject(optional);
  });

  it("has checks, files to write and estimated lines", () => {
    const added = { ...least, checks: ["npm test"], writeFiles: ["test/**"], estimatedLines: 120 };
    expect(taskSchema.parse(added)).toMatchObject(added);
  });

  it("keeps fields that Saga does not know", () => {
    expect(taskSchema.parse({ ...least, ticket: "ABC-1" })).toMatchObject({ ticket: "ABC-1" });
  });

  it.each([
    ["id", "1"],
    ["id", "story"],
    ["id", "a--b"],
    ["subject", "two\nlines"],
    ["activeForm", ""],
    ["status", "deleted"],
    ["blockedBy", ["1"]],
    ["checks", [" "]],
    ["writeFiles", ["/etc/**"]],
    ["estimatedLines", -1],
    ["estimatedLines", 1.5],
  ])("refuses %s: %j", (key, value) => {
    const found = taskSchema.safeParse({ ...least, [key]: value });
    expect(found.error?.issues.map((issue) => issue.path[0])).toEqual([key]);
  });
});

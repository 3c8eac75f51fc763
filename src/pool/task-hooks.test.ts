import { expect, it } from "vitest";
import { judgeTaskFields } from "./task-hooks.ts";

it.each([
  [{ taskId: "1", status: "completed" }],
  [{ taskId: "1", status: "deleted" }],
  [{ taskId: "1", owner: "me" }],
  [{ taskId: "1", owner: "" }],
])("an agent may not set what Saga sets: %j", (input) => {
  expect(judgeTaskFields(input)).toEqual({
    isAllowed: false,
    reason: "Saga sets the status when the work is merged: call finish.",
  });
});

it("an agent may not touch Saga's own part of the metadata", () => {
  expect(judgeTaskFields({ metadata: { saga: null } }).isAllowed).toBe(false);
});

it.each([
  [{ taskId: "1", description: "Better said." }],
  [{ taskId: "1", addBlockedBy: ["2"] }],
  [{ subject: "More", description: "To do.", metadata: { label: "ui", priority: 1 } }],
  [undefined],
])("an agent may say everything else: %j", (input) => {
  expect(judgeTaskFields(input)).toEqual({ isAllowed: true });
});

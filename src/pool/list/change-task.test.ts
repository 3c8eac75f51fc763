import { expect, it } from "vitest";
import { claudeTask } from "../../../test/support/claude-list.ts";
import { edited } from "./change-task.ts";

const TASK = claudeTask("1", { blocks: ["2"], metadata: { label: "ui", saga: { attempts: 1 } } });

it("an edit changes only what it names", () => {
  expect(edited(TASK, { subject: "Do that", priority: 1 })).toEqual({
    ...TASK,
    subject: "Do that",
    metadata: { label: "ui", saga: { attempts: 1 }, priority: 1 },
  });
});

it("an empty label removes it, and metadata without entries goes too", () => {
  expect(edited(TASK, { label: "" }).metadata).toEqual({ saga: { attempts: 1 } });
  expect(edited({ ...TASK, metadata: { label: "ui" } }, { label: "" })).not.toHaveProperty(
    "metadata",
  );
});

it("an edit can remove all that it waits for", () => {
  expect(edited({ ...TASK, blockedBy: ["3"] }, { blockedBy: [] }).blockedBy).toEqual([]);
});

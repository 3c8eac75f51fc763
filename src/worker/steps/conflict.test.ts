import { expect, it } from "vitest";
import { taskSchema } from "../../story/definition/task.ts";
import { withKnownStatus } from "./conflict.ts";

it("a merge brings people's changes to tasks, but not another status", () => {
  const task = (id: string, status: string) =>
    taskSchema.parse({ id, subject: `Do ${id}`, description: "As on main.", status });
  const statuses = new Map([["form", "completed" as const]]);
  const merged = withKnownStatus([task("form", "pending"), task("new", "pending")], (id) =>
    statuses.get(id),
  );
  expect(merged.map(({ id, status, description }) => [id, status, description])).toEqual([
    ["form", "completed", "As on main."],
    ["new", "pending", "As on main."],
  ]);
});

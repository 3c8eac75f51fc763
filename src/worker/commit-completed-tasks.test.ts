import { expect, it } from "vitest";
import { taskSchema } from "../story/definition/task.ts";
import { tasksToCommit } from "./commit-completed-tasks.ts";

const task = (id: string, status: string, order: number) =>
  taskSchema.parse({ id, subject: `Do ${id}`, description: "x", status, order });

it("completed tasks without a commit are committed in the story's order", () => {
  const tasks = [
    task("last", "completed", 3),
    task("open", "in_progress", 2),
    task("first", "completed", 1),
    task("before", "completed", 0),
  ];
  expect(tasksToCommit(tasks, new Set(["before"])).map(({ id }) => id)).toEqual(["first", "last"]);
});

import { expect, it } from "vitest";
import { singleTask } from "./single-task.ts";
import { storySchema } from "./story.ts";
import { taskSchema } from "./task.ts";

it("a story without tasks becomes one valid task with its goal", () => {
  const story = storySchema.parse({
    id: "cart",
    title: "Show the cart",
    description: "People see what they buy.",
    doneWhen: "The cart is on every page.",
  });
  const task = taskSchema.parse(singleTask(story));
  expect(task.subject).toContain("Show the cart");
  expect(task.status).toBe("pending");
});

import { describe, expect, it } from "vitest";
import { pullRequestText, pullRequestTitle } from "./pull-request-text.ts";
import { storySchema } from "../definition/story.ts";
import { taskSchema } from "../definition/task.ts";

const least = { id: "add-login", title: "Add login", description: "A form.\n\nWith a button." };
const task = (id: string, status: string) =>
  taskSchema.parse({ id, status, subject: `Do ${id}`, description: "All of it." });

describe("a pull request", () => {
  it("has the name of its story", () => {
    expect(pullRequestTitle("shop--add-login")).toBe("Story: shop--add-login");
  });

  it("has the description, doneWhen and the progress of the tasks", () => {
    const story = storySchema.parse({ ...least, doneWhen: "People can log in." });
    const tasks = [
      task("form", "completed"),
      task("button", "in_progress"),
      task("test", "pending"),
    ];
    expect(pullRequestText(story, tasks)).toBe(
      [
        "# Add login\n",
        "A form.\n",
        "With a button.\n",
        "## Done when\n",
        "People can log in.\n",
        "## Tasks\n",
        "- [x] Do form (`form`)",
        "- [ ] Do button (`button`)",
        "- [ ] Do test (`test`)\n",
        "Definition and journal: `.saga/stories/add-login/`.\n",
      ].join("\n"),
    );
  });

  it.each([undefined, "", " \n"])("has no heading without a text: %j", (doneWhen) => {
    expect(pullRequestText(storySchema.parse({ ...least, doneWhen }), [])).not.toContain(
      "Done when",
    );
  });

  it("is the same for the same story, so that it is only written after a change", () => {
    const story = storySchema.parse(least);
    const text = pullRequestText(story, [task("form", "pending")]);
    expect(pullRequestText(story, [task("form", "pending")])).toBe(text);
    expect(pullRequestText(story, [task("form", "completed")])).not.toBe(text);
  });
});

import { describe, expect, it } from "vitest";
import { headlessPrompt } from "./prompt.ts";
import { storySchema } from "./story.ts";

const least = { id: "add-login", title: "Add login", description: "A form.\n\nWith a button." };

describe("the prompt of a headless run", () => {
  it("holds the story's whole context, and then says what to do", () => {
    const story = storySchema.parse({
      ...least,
      guidance: "Small steps.",
      doneWhen: "People can log in.",
      avoid: "Cookies.",
    });
    expect(headlessPrompt(story)).toBe(
      [
        "You are working on: Add login",
        "A form.",
        "With a button.",
        "Guidance: Small steps.",
        "Done when: People can log in.",
        "Avoid: Cookies.",
        "Execute the tasks in the task list using TaskList, TaskGet, and TaskUpdate.",
      ].join("\n\n"),
    );
  });

  it.each([undefined, "", " \n"])("has no heading without a text under it: %j", (blank) => {
    const story = storySchema.parse({ ...least, guidance: blank, doneWhen: blank, avoid: blank });
    expect(headlessPrompt(story)).toBe(headlessPrompt(storySchema.parse(least)));
    expect(headlessPrompt(story)).not.toMatch(/Guidance|Done when|Avoid/);
  });
});

// What a headless run is told about its story.

import type { Story } from "./story.ts";

export function headlessPrompt(story: Story): string {
  return [
    `You are working on: ${story.title}`,
    story.description,
    field("Guidance", story.guidance),
    field("Done when", story.doneWhen),
    field("Avoid", story.avoid),
    "Execute the tasks in the task list using TaskList, TaskGet, and TaskUpdate.",
  ]
    .filter((part) => part !== undefined)
    .join("\n\n");
}

const field = (name: string, text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : `${name}: ${text}`;

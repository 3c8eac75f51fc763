// The title and text of a story's pull request.

import type { Receipt } from "../receipts/receipt.ts";
import { receiptLine } from "../receipts/receipt-text.ts";
import type { Story } from "../definition/story.ts";
import type { Task } from "../definition/task.ts";

export const pullRequestTitle = (storyId: string): string => `Story: ${storyId}`;

export function pullRequestText(
  story: Story,
  tasks: readonly Task[],
  receipts: readonly Receipt[] = [],
): string {
  const parts = [
    `# ${story.title}`,
    story.description,
    section("Done when", story.doneWhen),
    ["## Tasks", "", ...tasks.map(taskLine)].join("\n"),
    receipts.length === 0 ? undefined : ["## Gates", "", ...receipts.map(receiptLine)].join("\n"),
    `Definition and journal: \`.saga/stories/${story.id}/\`.`,
  ];
  return `${parts.filter((part) => part !== undefined).join("\n\n")}\n`;
}

const taskLine = (task: Task): string =>
  `- [${task.status === "completed" ? "x" : " "}] ${task.subject} (\`${task.id}\`)`;

const section = (title: string, text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : `## ${title}\n\n${text}`;

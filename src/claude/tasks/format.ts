// A task in the format of Claude Code's Task tools. Claude reads these files strictly: one missing or invalid
// field makes a task invisible, so optional fields are never written empty.

import * as z from "zod";
import { STATUSES } from "../../story/definition/status.ts";
import type { Task } from "../../story/definition/task.ts";

export const claudeTaskSchema = z.looseObject({
  id: z.string(),
  subject: z.string(),
  description: z.string(),
  activeForm: z.string().optional(),
  status: z.enum(STATUSES),
  owner: z.string().optional(),
  blocks: z.array(z.string()),
  blockedBy: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type ClaudeCodeTask = z.output<typeof claudeTaskSchema>;

/** All tasks of a story. `blocks` is derived from the other tasks' `blockedBy`. */
export function toClaudeTasks(tasks: readonly ClaudeTaskSource[]): ClaudeCodeTask[] {
  const blocks = new Map<string, string[]>(tasks.map((task) => [task.id, []]));
  for (const task of tasks) {
    for (const blocker of task.blockedBy) blocks.get(blocker)?.push(task.id);
  }
  return tasks.map((task) => toClaudeTask(task, blocks.get(task.id)));
}

/** The fields of a task that Claude gets. Optional fields may be missing. */
export interface ClaudeTaskSource extends Pick<Task, "id" | "subject" | "description" | "status"> {
  readonly blockedBy: readonly string[];
  readonly activeForm?: string | undefined;
  readonly guidance?: string | undefined;
  readonly doneWhen?: string | undefined;
  readonly checks?: readonly string[] | undefined;
  readonly writeFiles?: readonly string[] | undefined;
  readonly splitFrom?: string | undefined;
}

export function toClaudeTask(
  task: ClaudeTaskSource,
  blocks: readonly string[] = [],
): ClaudeCodeTask {
  const metadata = {
    ...(hasText(task.guidance) && { guidance: task.guidance }),
    ...(hasText(task.doneWhen) && { doneWhen: task.doneWhen }),
  };
  return {
    id: task.id,
    subject: task.subject,
    description: describe(task),
    ...(task.activeForm && { activeForm: task.activeForm }),
    status: task.status,
    blocks: [...blocks],
    blockedBy: [...task.blockedBy],
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** Only the status is read back: everything else is in the story's files. */
export function fromClaudeTask(claudeTask: Pick<ClaudeCodeTask, "status">): Pick<Task, "status"> {
  return { status: claudeTask.status };
}

/** The model never sees metadata, so the description repeats what it must know. */
function describe(task: ClaudeTaskSource): string {
  return [
    task.description,
    hasText(task.guidance) && `Guidance: ${task.guidance}`,
    hasText(task.doneWhen) && `Done when: ${task.doneWhen}`,
    listed(
      task.splitFrom === undefined ? "Allowed files:" : "Files to change, as estimated:",
      task.writeFiles,
    ),
    listed("Checks that must pass:", task.checks),
  ]
    .filter(Boolean)
    .join("\n\n");
}

const listed = (heading: string, items: readonly string[] = []): string =>
  items.length === 0 ? "" : [heading, ...items.map((item) => `- ${item}`)].join("\n");

const hasText = (text: string | undefined): text is string =>
  text !== undefined && text.trim() !== "";

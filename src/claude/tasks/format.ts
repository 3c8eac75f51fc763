// A task as Claude Code's own Task tools know it. Claude reads these files strictly: one missing or
// odd field makes a task invisible, so nothing optional is ever written empty.

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

/** All tasks of a story, with `blocks` turned round from the others' `blockedBy`. */
export function toClaudeTasks(tasks: readonly ClaudeTaskSource[]): ClaudeCodeTask[] {
  const blocks = new Map<string, string[]>(tasks.map((task) => [task.id, []]));
  for (const task of tasks) {
    for (const blocker of task.blockedBy) blocks.get(blocker)?.push(task.id);
  }
  return tasks.map((task) => toClaudeTask(task, blocks.get(task.id)));
}

/** As much of a task as Claude is told; what is optional in its file may be missing. */
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
    ...(isSaid(task.guidance) && { guidance: task.guidance }),
    ...(isSaid(task.doneWhen) && { doneWhen: task.doneWhen }),
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

/** Only the status comes back: everything else is the story's own, under version control. */
export function fromClaudeTask(claudeTask: Pick<ClaudeCodeTask, "status">): Pick<Task, "status"> {
  return { status: claudeTask.status };
}

/** The model is never shown metadata, so the description says what it must know too. */
function describe(task: ClaudeTaskSource): string {
  return [
    task.description,
    isSaid(task.guidance) && `Guidance: ${task.guidance}`,
    isSaid(task.doneWhen) && `Done when: ${task.doneWhen}`,
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

const isSaid = (text: string | undefined): text is string =>
  text !== undefined && text.trim() !== "";

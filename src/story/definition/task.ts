// A task: the atomic work item of a story, kept in `.saga/stories/<story>/<task>.json`.

import * as z from "zod";
import { checks, globs, oneLine, prose, status, taskId, text } from "./fields.ts";
import { STATUSES } from "./status.ts";
import { idProblem } from "./names.ts";

export const taskSchema = z.looseObject({
  id: taskId,
  /** Short imperative title. */
  subject: oneLine,
  /** Everything needed to do it, without reading anything else. */
  description: prose,
  /** What is shown while it runs: `Writing tests`. */
  activeForm: oneLine.optional(),
  status,
  /** Tasks of this story that come first. */
  blockedBy: z.array(taskId).default([]),
  /** How to approach the work. */
  guidance: text,
  /** What must hold when it is done. */
  doneWhen: text,
  /** Commands that must succeed before it counts. */
  checks,
  /** The files it will change. */
  writeFiles: globs,
  /** How many lines it will change. */
  estimatedLines: z.int().min(0).optional(),
  /** Its place among the story's tasks as they were written; one without a number comes before those with one. */
  order: z.number().min(0).optional(),
  /** Written when a task is split: the one that this is a part of. */
  splitFrom: taskId.optional(),
});

/** As much of a task as an overview shows. */
export const taskOutlineSchema = z.object({ id: taskId, status });
export type TaskOutline = z.output<typeof taskOutlineSchema>;

/**
 * The same by hand, for the usual case: an overview reads ten thousand of them, and half its time
 * would be spent here. Whatever it does not recognise is the schema's to judge.
 */
export function usualOutline(fields: unknown): TaskOutline | undefined {
  if (typeof fields !== "object" || fields === null) return undefined;
  const { id, status: given } = fields as Record<string, unknown>;
  const known = STATUSES.find((one) => one === given);
  if (known === undefined || typeof id !== "string") return undefined;
  return idProblem("task", id) === undefined ? { id, status: known } : undefined;
}

/** What people write. */
export type TaskInput = z.input<typeof taskSchema>;
/** What the program holds. */
export type Task = z.output<typeof taskSchema>;

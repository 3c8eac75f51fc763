// A task: one step of a story, in `.saga/stories/<story>/<task>.json`.

import * as z from "zod";
import { checks, globs, oneLine, prose, status, taskId, text } from "./fields.ts";
import { idProblem } from "./names.ts";
import { isStatus } from "./status.ts";

export const taskSchema = z.looseObject({
  id: taskId,
  subject: oneLine,
  description: prose,
  activeForm: oneLine.optional(),
  status,
  blockedBy: z.array(taskId).default([]),
  guidance: text,
  doneWhen: text,
  checks,
  writeFiles: globs,
  estimatedLines: z.int().min(0).optional(),
  order: z.number().min(0).optional(),
  splitFrom: taskId.optional(),
});

export const TASK_MEANINGS = {
  id: "Also the name of its file.",
  subject: "Short imperative title.",
  description: "Everything needed to do it, without reading anything else.",
  activeForm: "What is shown while it runs: `Writing tests`.",
  status: "Changed by runs.",
  blockedBy: "Tasks of this story that come first.",
  guidance: "How to approach the work.",
  doneWhen: "What must hold when it is done.",
  checks: "Commands that must succeed before it counts.",
  writeFiles: "The files it will change, as globs.",
  estimatedLines: "How many lines it will change.",
  order:
    "Its place among the story's tasks; a task without a number comes before those with one. Saga numbers new tasks itself.",
  splitFrom: "Written when a task is split: the task that this is a part of.",
} satisfies Record<keyof typeof taskSchema.shape, string>;

/** The fields that an overview shows. */
export const taskOutlineSchema = z.object({ id: taskId, status });
export type TaskOutline = z.output<typeof taskOutlineSchema>;

/**
 * Parses a usual outline without the schema: an overview reads ten thousand of them, and would spend half its time
 * here. Returns undefined for any other outline, and for an invalid one: the schema decides then.
 */
export function usualOutline(fields: unknown): TaskOutline | undefined {
  if (typeof fields !== "object" || fields === null) return undefined;
  const { id, status: stored } = fields as Record<string, unknown>;
  if (!isStatus(stored) || typeof id !== "string") return undefined;
  return idProblem("task", id) === undefined ? { id, status: stored } : undefined;
}

/** As people write it: fields with a default may be missing. */
export type TaskInput = z.input<typeof taskSchema>;
/** As parsed. */
export type Task = z.output<typeof taskSchema>;

// A task: the atomic work item of a story, kept in `.saga/stories/<story>/<task>.json`.

import * as z from "zod";
import { check, glob, idList, oneLine, prose, status, taskId } from "./fields.ts";

export const taskSchema = z
  .looseObject({
    id: taskId,
    subject: oneLine.describe("Short imperative title."),
    description: prose.describe("Everything needed to do it, without reading anything else."),
    activeForm: oneLine.optional().describe("What is shown while it runs: `Writing tests`."),
    status: status.default("pending"),
    blockedBy: idList("task").default([]).describe("Tasks of this story that come first."),
    guidance: z.string().optional().describe("How to approach the work."),
    doneWhen: z.string().optional().describe("What must hold when it is done."),
    checks: z.array(check).default([]).describe("Commands that must succeed before it counts."),
    writeFiles: z.array(glob).optional().describe("The files it will change, as globs."),
    estimatedLines: z.int().min(0).optional().describe("How many lines it will change."),
  })
  .meta({ title: "Saga task", description: "A file `.saga/stories/<story>/<task>.json`." });

/** What people write. */
export type TaskInput = z.input<typeof taskSchema>;
/** What the program holds. */
export type Task = z.output<typeof taskSchema>;

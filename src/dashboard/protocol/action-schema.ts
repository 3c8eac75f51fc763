// What a person can do from the page. Each action is a saga command; the command checks the values once more.

import * as z from "zod";
import { label } from "../../story/definition/fields.ts";
import {
  epicOfSession,
  idProblem,
  storyOfSession,
  type IdKind,
} from "../../story/definition/names.ts";

const id = (kind: IdKind) =>
  z.string().refine((name) => idProblem(kind, name) === undefined, `is not a valid ${kind} id`);
const story = id("story");
const epic = id("epic");
const long = z.string().max(100_000);
const text = long.regex(/\S/, "is empty");
const line = z
  .string()
  .max(1000)
  .regex(/^[^\n\0]*$/, "has several lines");
const list = z.array(line).max(200).readonly();
const flag = z.boolean().optional();
/** Ids of both Claude's and Saga's tasks. */
const taskId = z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/, "is not a valid task id");
const instance = z.string().regex(/^[0-9a-f]{8}$/, "is not a valid daemon id");
/** The person allowed Saga to update the checkout of the target. */
const updateCheckout = flag;

/** Limits of one run. A missing one comes from the project's settings. */
const limits = {
  model: z
    .string()
    .max(100)
    .regex(/^[\w.:/[\]-]+$/, "is not a valid model name")
    .optional(),
  maxMinutes: z.number().positive().max(100_000).optional(),
  maxCostUsd: z.number().positive().max(1_000_000).optional(),
};

/** A missing field has its default. `blockedBy`: stories of the same epic, or tasks of the same story. */
const work = {
  description: text,
  guidance: long.optional(),
  doneWhen: long.optional(),
  checks: list.optional(),
  writeFiles: list.optional(),
  blockedBy: list.optional(),
};

const fieldChange = z.strictObject({
  /** As in the file: `doneWhen`. */
  field: z.string().regex(/^[A-Za-z]{1,40}$/, "is not a valid field"),
  /** A field without a value is removed from the file. */
  value: z.union([long, z.number(), z.boolean(), list]).optional(),
});

const session = z
  .string()
  .refine(
    (name) => epicOfSession(name) !== undefined || storyOfSession(name) !== undefined,
    "is not a session that can be stopped on its own",
  );

/** `POST /api/act`, with the header `x-saga-token`. */
export const actionSchema = z.discriminatedUnion("act", [
  z.strictObject({
    act: z.literal("new-story"),
    id: story,
    epic: epic.optional(),
    title: line.optional(),
    avoid: long.optional(),
    labels: list.optional(),
    priority: z.number().optional(),
    needsTesting: flag,
    needsReview: flag,
    ...work,
  }),
  z.strictObject({
    act: z.literal("new-task"),
    story,
    id: id("task"),
    subject: line.optional(),
    ...work,
  }),
  z.strictObject({
    act: z.literal("new-epic"),
    id: epic,
    title: line.optional(),
    description: text,
  }),
  z.strictObject({
    act: z.literal("edit"),
    kind: z.enum(["story", "epic", "task"]),
    /** A task's is `<story>/<task>`. */
    id: z.string().refine(isDefinitionId, "is not a valid id"),
    set: z.array(fieldChange).min(1).readonly(),
  }),
  z.strictObject({ act: z.literal("remove-task"), story, task: id("task") }),
  /** `keepStories`: the person knows that its stories stay, without an epic. */
  z.strictObject({ act: z.literal("remove-epic"), epic, keepStories: flag }),
  z.strictObject({
    act: z.enum(["stop", "discard", "push", "verify", "archive", "unarchive", "remove"]),
    story,
  }),
  z.strictObject({ act: z.enum(["run", "resume"]), story, ...limits }),
  /** `number`: as in `saga snapshot list`. */
  z.strictObject({ act: z.literal("restore"), story, number: z.int().min(1).max(1_000_000) }),
  /** A person's note to the agent. The first line is its title. */
  z.strictObject({ act: z.literal("note"), story, text }),
  z.strictObject({ act: z.literal("merge"), story, updateCheckout }),
  z.strictObject({
    act: z.literal("accept"),
    story,
    /** Merge it at once. */
    merge: flag,
    override: z
      .array(z.string().regex(/^[a-z][a-z-]{0,40}$/, "is not a valid rule"))
      .readonly()
      .optional(),
    why: text.optional(),
  }),
  /** `run`: continue the story at once. */
  z.strictObject({ act: z.literal("reject"), story, why: text, run: flag }),
  z.strictObject({
    act: z.literal("resolve"),
    story,
    blocker: z.string().regex(/^b\d{1,6}$/, "is not a valid question number"),
    answer: text,
    run: flag,
  }),
  z.strictObject({
    act: z.literal("epic-run"),
    epic,
    parallel: z.int().min(1).max(100).optional(),
    merge: flag,
    updateCheckout,
    ...limits,
  }),
  z.strictObject({ act: z.literal("epic-stop"), epic }),
  z.strictObject({ act: z.literal("epic-merge"), epic, updateCheckout }),
  z.strictObject({
    act: z.enum(["queue-hold", "queue-release", "queue-drop"]),
    // The id of a story or an epic, or a worker of the pool with its task.
    entry: z.string().regex(/^[A-Za-z0-9][\w-]*(?:\/[\w-]+)?$/, "is not the name of an entry"),
  }),
  /** Merges what waits, if no process does. */
  z.strictObject({ act: z.literal("queue-run") }),
  z.strictObject({ act: z.literal("session-stop"), session }),
  z.strictObject({ act: z.literal("task-release"), task: taskId, answer: text.optional() }),
  z.strictObject({
    act: z.literal("task-add"),
    subject: z.string().min(1).max(200),
    description: text.optional(),
    priority: z.int().min(0).max(4).optional(),
    label: label.optional(),
  }),
  /** Names the list that the pool works through: `auto.task_list_id`. */
  z.strictObject({
    act: z.literal("pool-list"),
    list: z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/, "is not a valid list name"),
  }),
  z.strictObject({
    act: z.literal("pool-start"),
    workers: z.int().min(1).max(64).optional(),
    once: flag,
  }),
  z.strictObject({ act: z.enum(["pool-stop", "pool-drain"]), instance }),
]);

function isDefinitionId(name: string): boolean {
  const [owner = "", task, ...more] = name.split("/");
  if (idProblem("story", owner) !== undefined || more.length > 0) return false;
  return task === undefined || idProblem("task", task) === undefined;
}

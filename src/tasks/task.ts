// A task of Claude's list as the pool sees it. The pool's fields are in its `metadata`, which Claude leaves alone:
// priority, label, checks, and under `saga` its history.

import * as z from "zod";
import type { ClaudeCodeTask } from "../claude/tasks/format.ts";
import { explain } from "../story/definition/explain-error.ts";
import { DEFAULT_PRIORITY } from "../story/definition/fields.ts";
import type { Status } from "../story/definition/status.ts";

export interface PoolTask {
  readonly id: string;
  readonly subject: string;
  readonly status: Status;
  /** Undefined for an empty name too. */
  readonly owner: string | undefined;
  readonly label: string | undefined;
  /** 0 is the most urgent. */
  readonly priority: number;
  readonly blockedBy: readonly string[];
  /** The tasks that wait for this one. */
  readonly blocks: readonly string[];
  readonly checks: readonly string[];
  /** Why a person has to look at it first. */
  readonly held: TaskHold | undefined;
  readonly attempts: number;
  readonly lastFailure: string | undefined;
  readonly answers: readonly TaskAnswer[];
  /** The run of the current claim. */
  readonly run: string | undefined;
  /** The commit of a run that finished the task but could not merge it. */
  readonly finished?: string | undefined;
  readonly createdAtMs: number;
}

export type TaskHold = z.output<typeof heldSchema>;
export type TaskAnswer = z.output<typeof answerSchema>;

/** A bare key in TOML: the context file has a section for each label. */
const LABEL = /^[A-Za-z0-9_-]+$/;

const heldSchema = z.looseObject({
  kind: z.enum(["blocker", "parked"]),
  why: z.string(),
  at: z.string(),
});
const answerSchema = z.looseObject({ question: z.string(), answer: z.string() });

const metadataSchema = z.looseObject({
  priority: z.int().min(0).max(4).optional(),
  label: z
    .string()
    .regex(LABEL, "may only contain letters, digits, dashes and underscores")
    .optional(),
  checks: z.array(z.string().regex(/\S/, "is empty")).optional(),
  saga: z
    .looseObject({
      attempts: z.int().min(0).optional(),
      lastFailure: z.string().optional(),
      run: z.string().optional(),
      finished: z.string().optional(),
      held: heldSchema.optional(),
      answers: z.array(answerSchema).optional(),
      /** Survives when the file is replaced, which makes the file look new. */
      createdAt: z.iso.datetime().optional(),
    })
    .optional(),
});
const poolSchema = z.looseObject({ metadata: metadataSchema.optional() });

export type PoolTaskRead =
  | { readonly task: PoolTask; readonly problem?: never }
  /** The problem, as a sentence. */
  | { readonly problem: string; readonly task?: never };

/** `fileCreatedAtMs` is used when the task has no creation time. */
export function poolTaskOf(task: ClaudeCodeTask, fileCreatedAtMs: number): PoolTaskRead {
  const read = poolSchema.safeParse(task);
  if (!read.success) {
    return { problem: explain(read.error, task)[0]?.message ?? "It is not a task of the pool." };
  }
  const { saga, ...metadata } = read.data.metadata ?? {};
  return {
    task: {
      id: task.id,
      subject: task.subject,
      status: task.status,
      owner: task.owner || undefined,
      label: metadata.label,
      priority: metadata.priority ?? DEFAULT_PRIORITY,
      blockedBy: task.blockedBy,
      blocks: task.blocks,
      checks: metadata.checks ?? [],
      held: saga?.held,
      attempts: saga?.attempts ?? 0,
      lastFailure: saga?.lastFailure,
      answers: saga?.answers ?? [],
      run: saga?.run,
      finished: saga?.finished,
      createdAtMs: saga?.createdAt === undefined ? fileCreatedAtMs : Date.parse(saga.createdAt),
    },
  };
}

// The record of a worker's run on a story: `run.json` has its state, `events.jsonl` everything that happened.

import * as z from "zod";
import { storyId, text } from "../definition/fields.ts";
import { LIMITS, RUN_OUTCOMES } from "./state.ts";

/** Sorts by time: `20261115T214800123Z-1a2b`. */
export const runId = z.string().regex(/^\d{8}T\d{9}Z-[0-9a-f]{4,}$/, "is not the id of a run");

/** The same as `ProcessId` in `machine/processes/process-id.ts`. */
export const processId = z.object({
  pid: z.int().positive(),
  startTime: z.string(),
  bootId: z.string(),
  place: z.string(),
});

const count = z.number().min(0).default(0);
const amounts = z.record(z.string(), z.number().min(0));

export const runSchema = z.looseObject({
  id: runId,
  story: storyId,
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  outcome: z.enum(RUN_OUTCOMES).optional(),
  reason: text,
  limit: z.enum(LIMITS).optional(),
  pushError: text,
  isAside: z.boolean().optional(),
  discardedAt: z.iso.datetime().optional(),
  // These two only help to find the records. Only the records themselves count, with their seals.
  hasReceipts: z.boolean().optional(),
  hasWord: z.boolean().optional(),
  start: z.object({ commit: z.string(), seal: z.string() }).optional(),
  edit: z
    .object({ definition: z.string(), from: z.string().optional(), seal: z.string() })
    .optional(),
  machine: text,
  fence: z.int().min(1).optional(),
  session: text,
  outputFile: text,
  worker: processId.optional(),
  agent: processId.optional(),
  taskList: text,
  task: text,
  list: text,
  model: text,
  conversation: text,
  cycles: count,
  silentCheckIns: z.int().min(0).optional(),
  costUsd: count,
  costIsEstimate: z.boolean().optional(),
  costByDay: amounts.optional(),
  costByModel: amounts.optional(),
  reservedUsd: z.number().min(0).optional(),
  inputTokens: count,
  outputTokens: count,
});

export const RUN_MEANINGS = {
  id: "Sorts by time; also the name of its folder.",
  story: "The story, or the worker of the pool (`auto-1`).",
  startedAt: "When it began.",
  endedAt: "When it ended; missing while it runs, and when its worker was killed.",
  outcome: "How it ended.",
  reason: "Why, in a sentence.",
  limit: "Which limit it reached, when that is its outcome.",
  pushError: "Why its branch could not be pushed, until a later push succeeds.",
  isAside: "The run had no effect: its story is in the same state as before.",
  discardedAt: "When its work was discarded; since then it does not affect the state of its story.",
  hasReceipts: "It has receipts of gates.",
  hasWord: "It has a person's decision.",
  start: "The commit that the story started from, with Saga's seal.",
  "start.commit": "Its id.",
  "start.seal": "A code over it.",
  edit: "A person's edit of the started story, with Saga's seal.",
  "edit.definition": "What the story asks for since then, as JSON.",
  "edit.from": "The commit before the story's own work at that time.",
  "edit.seal": "A code over both.",
  machine: "In a fleet: the machine that it ran on, if not this one.",
  fence: "In a fleet: the number of its ownership of the story. A later owner has a higher one.",
  session: "The tmux session, when it has one.",
  outputFile: "The file with the output of that session.",
  worker: "The process of the worker: number, start time, boot, machine.",
  agent: "The process of the current or last agent.",
  taskList: "The list that Claude Code works through.",
  task: "Only for a worker of the pool: the task.",
  list: "Only for a worker of the pool: the list with the task.",
  model: "The model.",
  conversation: "Claude Code's id of the conversation.",
  cycles: "The number of agent runs.",
  silentCheckIns: "The number of check-ins in a row at which the agent had used no tool.",
  costUsd: "The cost so far, in US dollars.",
  costIsEstimate:
    "Whether some of the cost was estimated by Saga, because Claude Code did not report it.",
  costByDay: "The same by local date, for runs that cross midnight.",
  costByModel: "The same by model.",
  reservedUsd: "What the run reserved of the day's budget (`budget.day`) when it started.",
  inputTokens: "Tokens in.",
  outputTokens: "Tokens out.",
} satisfies Record<
  | keyof typeof runSchema.shape
  | "start.commit"
  | "start.seal"
  | "edit.definition"
  | "edit.from"
  | "edit.seal",
  string
>;

export type Run = z.output<typeof runSchema>;

export const eventSchema = z.looseObject({ at: z.iso.datetime(), type: z.string().min(1) });
export type RunEvent = z.output<typeof eventSchema>;

export const EVENT_MEANINGS = {
  at: "When it happened.",
  type: "What happened; the other fields depend on it.",
} satisfies Record<keyof typeof eventSchema.shape, string>;

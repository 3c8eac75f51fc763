// A run of a worker on a story, as it is recorded: `run.json` for where it stands, `events.jsonl`
// for everything that happened.

import * as z from "zod";
import { storyId, text } from "../definition/fields.ts";
import { LIMITS, RUN_OUTCOMES } from "./state.ts";

/** Sorts by time: `20261115T214800123Z-1a2b`. */
export const runId = z.string().regex(/^\d{8}T\d{9}Z-[0-9a-f]{4,}$/, "is not the id of a run");

/** As `machine/processes/process-id.ts` knows a process. */
export const processId = z.object({
  pid: z.int().positive(),
  startTime: z.string(),
  bootId: z.string(),
  place: z.string(),
});

const count = z.number().min(0).default(0);

export const runSchema = z.looseObject({
  id: runId,
  story: storyId,
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  outcome: z.enum(RUN_OUTCOMES).optional(),
  reason: text,
  /** Which limit it reached, when that is its outcome. */
  limit: z.enum(LIMITS).optional(),
  /** Why its branch could not be pushed, until a later push succeeds. */
  pushError: text,
  /** Of runs before `killed` was an outcome of its own: stopped, and by nobody's wish. */
  isCutOff: z.boolean().optional(),
  /** It came to nothing and changed nothing: the story stands as it did before. */
  isAside: z.boolean().optional(),
  /** What it did was discarded: how it ended says nothing about its story any more. */
  discardedAt: z.iso.datetime().optional(),
  /** It holds records of gates, a person's word among them: for finding them, not for believing them. */
  hasReceipts: z.boolean().optional(),
  hasWord: z.boolean().optional(),
  /** The commit that it started its story with, under Saga's seal. */
  start: z.object({ commit: z.string(), seal: z.string() }).optional(),
  /** The tmux session, when it has one, and the file that its output goes to. */
  session: text,
  outputFile: text,
  worker: processId.optional(),
  /** The agent of the moment, or the last one: whoever takes over ends it first. */
  agent: processId.optional(),
  taskList: text,
  /** A worker of the pool: the task, and the list that it is on. */
  task: text,
  list: text,
  model: text,
  /** Claude's own id of the conversation, to go on with. */
  conversation: text,
  cycles: count,
  /** Check-ins in a row at which its agent had used no tool. */
  silentCheckIns: z.int().min(0).optional(),
  costUsd: count,
  /** Some of it was counted by Saga, and not reported by Claude Code. */
  costIsEstimate: z.boolean().optional(),
  inputTokens: count,
  outputTokens: count,
});
export type Run = z.output<typeof runSchema>;

export const eventSchema = z.looseObject({ at: z.iso.datetime(), type: z.string().min(1) });
export type RunEvent = z.output<typeof eventSchema>;

/**
 * A record in the words of today. Before, the run of a killed worker was `stopped` with a mark beside it, or
 * had no outcome at all. What a person sent back was `done`, which no field tells from other records of theirs.
 */
export function withCurrentOutcome(run: Run): Run {
  const { outcome, isCutOff = false, worker, endedAt } = run;
  const hasNoOutcome = outcome === undefined && endedAt !== undefined && worker !== undefined;
  const wasKilled = hasNoOutcome || (outcome === "stopped" && isCutOff);
  return wasKilled ? { ...run, outcome: "killed" } : run;
}

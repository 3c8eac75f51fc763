// A run of a worker on a story, as it is recorded: `run.json` for where it stands, `events.jsonl`
// for everything that happened.

import * as z from "zod";
import { storyId, text } from "./fields.ts";
import type { RunOutcome } from "./state.ts";

const outcomes = ["done", "failed", "limit", "blocked", "stopped"] as const satisfies RunOutcome[];

/** Sorts by time: `20261115T214800123Z-1a2b`. */
export const runId = z.string().regex(/^\d{8}T\d{9}Z-[0-9a-f]{4,}$/, "is not the id of a run");

export const runSchema = z.looseObject({
  id: runId,
  story: storyId,
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  outcome: z.enum(outcomes).optional(),
  reason: text,
  session: text,
});
export type Run = z.output<typeof runSchema>;

export const eventSchema = z.looseObject({ at: z.iso.datetime(), type: z.string().min(1) });
export type RunEvent = z.output<typeof eventSchema>;

export function newRunId(nowMs: number, random: string): string {
  return `${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, "")}-${random}`;
}

// What a lane's lander does now, and the batches that it landed before.

import * as z from "zod";
import { laneMachine } from "./entry.ts";

const checkSchema = z.object({
  command: z.string(),
  isPassed: z.boolean(),
  ms: z.number().min(0),
  /** A receipt for the same tree was used instead of running it. */
  isReused: z.boolean(),
  /** How many entries were in the candidate; 0 is the target itself. */
  candidate: z.int().min(0),
});
export type CandidateCheck = z.infer<typeof checkSchema>;

export const landingNowSchema = z.object({
  entries: z.array(z.string()),
  step: z.enum(["compose", "verify", "land"]),
  /** While it verifies: the command, and how many of the entries it is checked with. */
  command: z.string().optional(),
  candidate: z.int().optional(),
  /** The last candidate while it is verified and landed, and the entries that it has. */
  tip: z.string().optional(),
  inTip: z.array(z.string()).optional(),
  /** A check has failed: the entry that fails is searched. */
  isRed: z.boolean().optional(),
  /** Which file the output of the command is in. */
  output: z.string().optional(),
  startedAt: z.iso.datetime(),
  /** In a lane that the machines of a fleet share: the one that lands. */
  machine: laneMachine.optional(),
});
export type LandingNow = z.infer<typeof landingNowSchema>;

export const landedBatchSchema = z.object({
  at: z.iso.datetime(),
  ms: z.number().min(0),
  /** The target before and after. */
  from: z.string(),
  to: z.string(),
  landed: z.array(z.string()),
  /** The entry that turned the checks red, and left the batch. */
  ejected: z.string().optional(),
  checks: z.array(checkSchema),
  /** Commands that failed and passed on one tree. */
  flaky: z.array(z.string()).default([]),
});
export type LandedBatch = z.infer<typeof landedBatchSchema>;

/** How long each command took the last times, as its median. Undefined for one that never ran. */
export function expectedMs(
  history: readonly Pick<LandedBatch, "checks">[],
  command: string,
): number | undefined {
  const times = history
    .flatMap(({ checks }) => checks)
    .filter((check) => check.command === command && !check.isReused && check.isPassed)
    .slice(-RECENT)
    .map(({ ms }) => ms)
    .toSorted((one, other) => one - other);
  return times[Math.floor(times.length / 2)];
}

const RECENT = 9;

/** Checks that a plain loop of merge and check would have run: one of each command for each entry that landed. */
export function savedChecks(batches: readonly LandedBatch[]): { run: number; saved: number } {
  let run = 0;
  let plain = 0;
  for (const { checks, landed, ejected } of batches) {
    const commands = new Set(checks.map(({ command }) => command)).size;
    run += checks.filter(({ isReused }) => !isReused).length;
    plain += commands * (landed.length + (ejected === undefined ? 0 : 1));
  }
  return { run, saved: Math.max(0, plain - run) };
}

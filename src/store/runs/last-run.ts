// What the newest runs of a story tell about it: how the last one ended, and whether its branch was pushed.

import { isFromFuture } from "../../story/state/run-id.ts";
import { type Run } from "../../story/state/run.ts";
import type { Limit, RunOutcome } from "../../story/state/state.ts";
import type { KnownRefs } from "../project/known-refs.ts";
import { type Layout } from "../project/layout.ts";
import { readRuns } from "./runs.ts";

/** What the newest runs tell about their story. */
export interface LastRun {
  /** Undefined when no run counts any more. */
  readonly id: string | undefined;
  /** Its end is not recorded: it is still running, or its worker was killed. */
  readonly isOpen: boolean;
  /** It is the run of a worker, which may have left work unfinished. */
  readonly isWorkers: boolean;
  /** How it ended, if that still counts. */
  readonly outcome: RunOutcome | undefined;
  /** Why it ended, in a sentence. */
  readonly reason: string | undefined;
  readonly limit: Limit | undefined;
  /** Why the branch could not be pushed. */
  readonly pushError: string | undefined;
  /** Its worker reports that the agent has gone silent. */
  readonly isSilent: boolean;
}

export const NO_RUN: LastRun = {
  id: undefined,
  isOpen: false,
  isWorkers: false,
  outcome: undefined,
  reason: undefined,
  limit: undefined,
  pushError: undefined,
  isSilent: false,
};

/** `refs` confirms a run that claims a merge. */
interface RunContext {
  readonly nowMs: number;
  readonly refs: KnownRefs;
}

export const lastRunOf = (at: Layout, storyId: string, context: RunContext): LastRun =>
  judgeRuns(storyId, readRuns(at, storyId), context);

/** `runs`: newest first. A run that tells nothing about its story is skipped, and the one before it counts. */
export function judgeRuns(
  storyId: string,
  runs: Iterable<Run>,
  { nowMs, refs }: RunContext,
): LastRun {
  let last: LastRun | undefined;
  for (const run of runs) {
    if (run.isAside) continue;
    const isMerged = run.outcome === "merged";
    // Any program of this user could write such a record.
    if (isMerged && !refs.isMergeRecorded(storyId)) continue;
    // A clock that was set back leaves runs in the future. Merges still count: git confirms them.
    if (!isMerged && isFromFuture(run.id, nowMs)) continue;
    last ??= judgeRun(run);
    // A run of a person's command does not push: the worker's run before it tells about the push.
    if (run.discardedAt !== undefined) return last;
    if (isMerged || run.worker !== undefined) return { ...last, pushError: run.pushError };
  }
  return last ?? NO_RUN;
}

function judgeRun(run: Run): LastRun {
  if (run.discardedAt !== undefined) return NO_RUN;
  const { id, outcome, reason, limit, pushError } = run;
  const isOpen = run.endedAt === undefined;
  const isSilent = isOpen && (run.silentCheckIns ?? 0) > 0;
  const isWorkers = run.worker !== undefined;
  return { id, isOpen, isWorkers, outcome, reason, limit, pushError, isSilent };
}

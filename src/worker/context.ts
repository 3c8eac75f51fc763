// What the steps of a worker share: the request it was started with, its process-wide dependencies, and
// the story's worktree once it is prepared. Its counterpart for tasks is `pool/task/context.ts`.

import type { Context } from "../context.ts";
import type { Agent } from "../agent/agent.ts";
import type { CostMeter } from "../agent/cost.ts";
import type { SharedBudget } from "../agent/job.ts";
import type { Workplace } from "../agent/place/workplace.ts";
import type { Base } from "../repo/repository.ts";
import type { DayBudget } from "../story/money/day-budget.ts";
import type { FenceOwner, PushFence } from "../repo/sharing/lease-ref.ts";
import type { RunEvent } from "../story/state/run.ts";
import type { ConflictNotes } from "./early-warning/watch-conflicts.ts";
import type { HeldStory } from "./story-in-memory.ts";
import type { Sharing } from "./sharing.ts";
import type { CostLimit } from "../story/money/tightest-cost.ts";
import type { RunRecord } from "../story/state/run-record.ts";

export interface WorkRequest extends CostLimit {
  readonly storyId: string;
  readonly maxCycles: number;
  readonly maxMs: number;
  /** The rest of the budget of an epic's run, if that started it. */
  readonly epicBudgetUsd?: number | undefined;
  readonly model: string;
  /** The tmux session that the worker runs in; its output goes to `outputFile`. */
  readonly session: string | undefined;
  readonly outputFile: string | undefined;
}

export interface WorkerContext extends Pick<Context, "store" | "settings" | "env" | "now"> {
  readonly agent: Agent;
  readonly sessionDir: string;
  readonly print: (event: RunEvent) => void;
  /** Aborts when a person stops the worker or its session ends; the worker then ends in an orderly way. */
  readonly stop: AbortSignal;
  /** After `stop` aborted: whether a person asked for it. */
  readonly isStopWanted: () => boolean;
  /** Called once when most of the day's budget is spent. */
  readonly onBudget?: (budget: DayBudget) => void;
  /** Why a run of the epic wants the story to end with its work committed, as a sentence. */
  readonly drainRequest?: (() => string | undefined) | undefined;
  /** The budgets that the story shares with others. Set while it works. */
  readonly budget?: SharedBudget | undefined;
}

export interface Work {
  readonly request: WorkRequest;
  readonly context: WorkerContext;
  readonly record: RunRecord;
  /** Another worker holds the lease now: this one must not write any more. */
  readonly isTakenOver: () => boolean;
  /** In a fleet: this machine as the story's owner. */
  readonly owner?: FenceOwner | undefined;
  /** Ends the work as if the lease had been lost. */
  readonly giveUp: () => void;
}

/** Work whose worktree is prepared. */
export interface PreparedWork extends Work, Workplace, Pick<Context, "repository" | "forge"> {
  readonly meter: CostMeter;
  readonly base: Base;
  readonly branch: string;
  /** The worktree is from an earlier run. */
  readonly hadWorktree: boolean;
  readonly canPush: boolean;
  /** In a fleet: every push of the story goes through it. */
  readonly fence?: PushFence | undefined;
  readonly sharing: Sharing;
  readonly story: HeldStory;
  readonly conflictNotes: ConflictNotes;
  /** Notes of a person that the agent of the current conversation has got. */
  readonly deliveredNotes: Set<string>;
}

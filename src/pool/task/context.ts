// What the steps of one task share: the pool worker, the run, and the worktree once it is prepared. Its
// counterpart for stories is `worker/context.ts`.

import type { Context } from "../../context.ts";
import type { Agent } from "../../agent/agent.ts";
import type { CostMeter } from "../../agent/cost.ts";
import type { SharedBudget } from "../../agent/job.ts";
import type { Workplace } from "../../agent/place/workplace.ts";
import type { LandingKinds } from "../../landing/landing.ts";
import type { Base } from "../../repo/repository.ts";
import type { Target } from "../../repo/delivery/target.ts";
import type { WorkerFile } from "../../tasks/daemon-files.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import type { PoolTask } from "../../tasks/task.ts";
import type { CostLimit } from "../../story/money/tightest-cost.ts";
import type { DayBudget } from "../../story/money/day-budget.ts";
import type { RunEvent } from "../../story/state/run.ts";

/** A worker of the pool, from its start to its end. */
export interface PoolWorker extends Pick<
  Context,
  "store" | "settings" | "repository" | "env" | "now" | "stop"
> {
  /** Such as `auto-1`; git and the store use it where they use a story's id. */
  readonly name: string;
  /** The name of the list, and its folder. */
  readonly list: string;
  readonly listFolder: string;
  /** The folder of its daemon; files that no snapshot can hold are moved there. */
  readonly folder: string;
  readonly agent: Agent;
  readonly sessionDir: string;
  readonly session: string | undefined;
  readonly outputFile: string | undefined;
  /** Whether a clean checkout of the target may be updated with it. */
  readonly updateCheckouts: boolean;
  readonly contextFile: string;
  /** How it lands what others put in the lane. */
  readonly kinds: LandingKinds;
  readonly print: (event: RunEvent) => void;
  /** Updates the worker's file, which others read. */
  readonly report: (change: Partial<WorkerFile>) => void;
  /** Called once per task when most of the day's budget is spent. */
  readonly onBudget?: ((budget: DayBudget) => void) | undefined;
  /** The day's budget. Set while a task runs. */
  readonly budget?: SharedBudget | undefined;
}

/** A claimed task. */
export interface TaskWork {
  readonly worker: PoolWorker;
  readonly task: PoolTask & { readonly description: string };
  readonly record: RunRecord;
  /** Stops the work if the claim was taken over or the task is gone. */
  readonly checkClaim: () => Promise<void>;
  /** The tasks that its agent has added to the list. */
  readonly made: Set<string>;
  /** The limits of the task. */
  readonly request: CostLimit & { readonly model: string };
  readonly meter: CostMeter;
}

/** A task whose worktree is prepared. */
export interface PreparedTaskWork extends TaskWork, Workplace {
  readonly target: Target;
  readonly base: Base;
  readonly branch: string;
}

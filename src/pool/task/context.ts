// What the steps of one task share: the worker that does it, its run, and its place in git.

import type { Context } from "../../context.ts";
import type { CostMeter } from "../../agent/cost.ts";
import type { Git } from "../../machine/programs/git.ts";
import type { Base } from "../../repo/repository.ts";
import type { Target } from "../../repo/delivery/target.ts";
import type { WorkerFile } from "../../tasks/daemon-files.ts";
import type { RunRecord } from "../../store/runs/run-recorder.ts";
import type { PoolTask } from "../../tasks/task.ts";
import type { RunEvent } from "../../story/state/run.ts";

/** A worker of the pool, for as long as it lives. */
export interface PoolWorker extends Pick<
  Context,
  "store" | "settings" | "repository" | "env" | "now" | "stop"
> {
  /** `auto-1`; to git and to the store it is what a story is. */
  readonly name: string;
  /** The name of the list, and where it is. */
  readonly list: string;
  readonly listFolder: string;
  /** Of its daemon: takes what no snapshot can hold. */
  readonly folder: string;
  readonly claude: string;
  readonly sessionDir: string;
  readonly session: string | undefined;
  readonly outputFile: string | undefined;
  /** Whether a clean checkout of the target may be brought up to date with it. */
  readonly updateCheckouts: boolean;
  readonly contextFile: string;
  readonly print: (event: RunEvent) => void;
  /** Told to whoever looks on. */
  readonly say: (change: Partial<WorkerFile>) => void;
}

/** A task in its hands. */
export interface TaskWork {
  readonly worker: PoolWorker;
  readonly task: PoolTask & { readonly description: string };
  readonly record: RunRecord;
  /** Looks whether the claim still stands. One that others have taken over, or whose task is gone, stops the work. */
  readonly lookAtClaim: () => Promise<void>;
  /** The tasks that its agent has put on the list. */
  readonly made: Set<string>;
  /** How far it may go. */
  readonly request: { readonly maxCostUsd: number | undefined; readonly model: string };
  readonly meter: CostMeter;
}

/** With a place in git. */
export interface PreparedTaskWork extends TaskWork {
  readonly target: Target;
  readonly base: Base;
  /** At the worktree. */
  readonly git: Git;
  readonly worktree: string;
  readonly branch: string;
  /** Where git keeps what is this worktree's own. */
  readonly gitDir: string;
  /** Copied or linked into the worktree: never committed. */
  readonly exclude: readonly string[];
  /** Outside the worktree, linked into it: may be read. */
  readonly readable: readonly string[];
  /** SAGA_PORT and the like. */
  readonly ports: Readonly<Record<string, string>>;
}

// What the steps of a worker share: the order it was given, and what it has found on the way.

import type { Context } from "../context.ts";
import type { CostMeter } from "../agent/cost.ts";
import type { Git } from "../machine/programs/git.ts";
import type { Base } from "../repo/repository.ts";
import type { RunEvent } from "../story/state/run.ts";
import type { Settings } from "../story/settings/settings.ts";
import type { TaskStates } from "./task-board.ts";
import type { HeldDefinition } from "./held-definition.ts";
import type { RunRecord } from "../store/runs/run-recorder.ts";

/** What a worker is told to do. */
export interface WorkOrder {
  readonly storyId: string;
  readonly maxCycles: number;
  readonly maxMs: number;
  readonly maxCostUsd: number | undefined;
  readonly model: string;
  /** The tmux session around it, whose output goes to the file. */
  readonly session: string | undefined;
  readonly outputFile: string | undefined;
}

/** Where it does it. */
export interface WorkerContext extends Pick<Context, "store" | "env" | "now"> {
  readonly claude: string;
  readonly sessionDir: string;
  readonly print: (event: RunEvent) => void;
  /** Ends the work in an orderly way: a person's wish, or the end of the session. */
  readonly stop: AbortSignal;
  /** Once it has aborted: whether that was a person's wish. */
  readonly isStopWanted: () => boolean;
  /** Once it has aborted: which limit of others it reached, as a sentence. */
  readonly limitOfStop?: () => string | undefined;
}

export interface Work {
  readonly order: WorkOrder;
  readonly around: WorkerContext;
  readonly settings: Settings;
  readonly record: RunRecord;
  /** Another worker has the story now: whatever this one would still write is not its business. */
  readonly isTakenOver: () => boolean;
}

/** A work with its place in git. */
export interface PlacedWork extends Work, Pick<Context, "repository" | "forge"> {
  readonly meter: CostMeter;
  /** Outside the worktree, linked into it: may be read. */
  readonly readable: readonly string[];
  readonly base: Base;
  /** At the worktree. */
  readonly git: Git;
  readonly branch: string;
  readonly worktree: string;
  /** From an earlier run. */
  readonly hadWorktree: boolean;
  /** Where git keeps what is this worktree's own. */
  readonly gitDir: string;
  /** Copied or linked into the worktree: never committed. */
  readonly exclude: readonly string[];
  /** SAGA_PORT and the like. */
  readonly ports: Readonly<{ [name: string]: string }>;
  readonly canPush: boolean;
  readonly board: TaskStates;
  /** Tasks whose completion was let pass: Claude writes it then, unless it is ended in between. */
  readonly passed: Set<string>;
  readonly definition: HeldDefinition;
}

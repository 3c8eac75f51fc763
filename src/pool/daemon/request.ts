// What a daemon is asked to do, its dependencies, and its result.

import type { Context } from "../../context.ts";
import type { Target } from "../../repo/delivery/target.ts";
import type { BoardCounts } from "../../tasks/board.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import type { StartedWorker } from "./worker-slot.ts";

export interface DaemonRequest {
  /** Eight hexadecimal digits. */
  readonly instance: string;
  readonly list: string;
  readonly listFolder: string;
  readonly contextFile: string;
  readonly workers: number;
  readonly isOnce: boolean;
  readonly session: string | undefined;
}

export interface DaemonContext extends Pick<
  Context,
  "store" | "settings" | "repository" | "env" | "now" | "stop"
> {
  readonly target: Target;
  readonly startWorker: (slot: number) => Promise<StartedWorker>;
  /** Prints one line for each event. */
  readonly logLine: (line: string) => void;
  /** Monotonic: changes of the system's clock do not affect it. */
  readonly uptimeMs: () => number;
  /** Why the day's budget allows no further task at the moment, as a sentence. */
  readonly dayRefusal?: () => Promise<string | undefined>;
}

export interface DaemonEnd {
  readonly kind: "done" | "drained" | "stopped" | "failed" | "budget";
  readonly problem: PoolProblem | undefined;
  readonly counts: BoardCounts;
  readonly completed: readonly string[];
  readonly failed: readonly string[];
  readonly held: readonly string[];
}

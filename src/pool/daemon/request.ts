// What a daemon is asked to do, what it does it with, and what it says in the end.

import type { Context } from "../../context.ts";
import type { Target } from "../../repo/delivery/target.ts";
import type { BoardCounts } from "../../tasks/board.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import type { Started } from "./worker-slot.ts";

export interface DaemonOrder {
  /** Eight hexadecimal digits. */
  readonly instance: string;
  readonly list: string;
  readonly listFolder: string;
  readonly contextFile: string;
  readonly workers: number;
  readonly isOnce: boolean;
  readonly session: string | undefined;
}

export interface DaemonHands extends Pick<
  Context,
  "store" | "settings" | "repository" | "env" | "now" | "stop"
> {
  readonly target: Target;
  readonly startWorker: (slot: number) => Promise<Started>;
  /** One line for each happening. */
  readonly say: (line: string) => void;
  /** Only goes forward, whatever is done to the clock: whoever waits counts by this. */
  readonly uptimeMs: () => number;
}

export interface DaemonEnd {
  readonly kind: "done" | "drained" | "stopped" | "failed";
  readonly problem: PoolProblem | undefined;
  readonly counts: BoardCounts;
  readonly completed: readonly string[];
  readonly failed: readonly string[];
  readonly held: readonly string[];
}

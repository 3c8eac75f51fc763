// What a daemon is asked to do, what it does it with, and what it says in the end.

import type { Environment } from "../../machine/processes/environment.ts";
import type { Repository } from "../../repo/repository.ts";
import type { Target } from "../../repo/delivery/target.ts";
import type { Store } from "../../store/store.ts";
import type { BoardCounts } from "../../tasks/board.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import type { Settings } from "../../story/settings/settings.ts";
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

export interface DaemonHands {
  readonly store: Store;
  readonly settings: Settings;
  readonly repository: Repository;
  readonly target: Target;
  readonly env: Environment;
  readonly startWorker: (slot: number) => Promise<Started>;
  /** One line for each happening. */
  readonly say: (line: string) => void;
  readonly now: () => number;
  /** Only goes forward, whatever is done to the clock: whoever waits counts by this. */
  readonly uptimeMs: () => number;
  readonly stop: AbortSignal;
}

export interface DaemonEnd {
  readonly kind: "done" | "drained" | "stopped" | "failed";
  readonly problem: PoolProblem | undefined;
  readonly counts: BoardCounts;
  readonly completed: readonly string[];
  readonly failed: readonly string[];
  readonly held: readonly string[];
}

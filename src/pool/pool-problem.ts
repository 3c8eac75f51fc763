// What stops the pool. The first few kinds are wrong files of the list; the others are the pool's own.
// Types alone: `daemon-files.ts` has the schema of the file that one is written to.

export interface PoolProblem {
  readonly kind: PoolProblemKind;
  readonly file?: string | undefined;
  readonly taskId?: string | undefined;
  readonly message: string;
  /** Neither a repair nor another start would change it. */
  readonly needsPerson?: boolean | undefined;
}

export type PoolProblemKind =
  | "unreadable"
  | "invalid-json"
  | "invalid-task"
  | "missing-dependency"
  | "cycle"
  | "write-failed"
  | "context"
  | "crashed"
  | "hung";

// What stops the pool. The first kinds are invalid files of the list; the others are failures of the pool.

import * as z from "zod";

const KINDS = [
  "unreadable",
  "invalid-json",
  "invalid-task",
  "missing-dependency",
  "cycle",
  "write-failed",
  "context",
  "crashed",
  "hung",
] as const;

/** The format in the files of a daemon and its workers. */
export const poolProblemSchema = z.object({
  kind: z.enum(KINDS),
  file: z.string().optional(),
  taskId: z.string().optional(),
  message: z.string(),
  /** Neither a repair nor a restart would help. */
  needsPerson: z.boolean().optional(),
});
export type PoolProblem = Readonly<z.output<typeof poolProblemSchema>>;

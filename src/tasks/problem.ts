// What stops the pool. The first few kinds are wrong files of the list; the others are the pool's own.

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

/** As it stands in the files of a daemon and its workers. */
export const poolProblemSchema = z.object({
  kind: z.enum(KINDS),
  file: z.string().optional(),
  taskId: z.string().optional(),
  message: z.string(),
  /** Neither a repair nor another start would change it. */
  needsPerson: z.boolean().optional(),
});
export type PoolProblem = Readonly<z.output<typeof poolProblemSchema>>;

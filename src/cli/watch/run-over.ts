import { livenessOf } from "../../machine/processes/process-id.ts";
import type { Run } from "../../story/state/run.ts";

/** A killed one is over too, though nobody could write that down. */
export const isRunOver = ({ endedAt, worker }: Pick<Run, "endedAt" | "worker">): boolean =>
  endedAt !== undefined || (worker !== undefined && livenessOf(worker) === "dead");

import { livenessOf } from "../../machine/processes/process-id.ts";
import type { Run } from "../../story/state/run.ts";

/** Also true for a run whose worker was killed before it could record its end. */
export const hasRunEnded = ({ endedAt, worker }: Pick<Run, "endedAt" | "worker">): boolean =>
  endedAt !== undefined || (worker !== undefined && livenessOf(worker) === "dead");

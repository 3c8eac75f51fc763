import { lifeOf } from "../machine/process.ts";
import type { Run } from "../story/run.ts";

/** A killed one is over too, though nobody could write that down. */
export const isRunOver = ({ endedAt, worker }: Run): boolean =>
  endedAt !== undefined || (worker !== undefined && lifeOf(worker) === "dead");

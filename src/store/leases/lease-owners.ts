// Who takes a story's lease, by the owner that is written in it. No package: hook scripts ask too.

import type { LeaseState } from "./lease.ts";

/** A person's command, while it judges the story or writes down what they said. */
export const PERSON = "saga";
export const MERGE = "saga merge";
/** Of an epic's lease: the run merges its stories by itself. */
export const MERGING_EPIC_RUN = "saga epic run, merging";

/** Killed, they leave nothing half done on the story: whoever comes next finds it as it was. */
export const isInPassing = (owner: string): boolean => owner === PERSON || owner === MERGE;

/** What a lease says about the story's worker. A dead one that was no worker's says nothing. */
export function workerIn(lease: LeaseState | undefined): "none" | "alive" | "dead" {
  if (lease === undefined) return "none";
  return lease.life === "dead" && isInPassing(lease.record.owner) ? "none" : lease.life;
}

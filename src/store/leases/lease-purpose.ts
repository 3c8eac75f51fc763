// What a lease is held for. Code decides by the purpose; the owner's name beside it is for people.
// Loads no package: hook scripts use it too.

import type { LeaseState } from "./leases.ts";

const PURPOSES = ["work", "command", "merge", "merging-epic-run"] as const;

/**
 * - `work`: a worker, or any other process that can leave something unfinished
 * - `command`: a person's command, while it judges a story or records a decision
 * - `merge`: a merge of the story
 * - `merging-epic-run`: the run of an epic that merges its stories itself
 */
export type LeasePurpose = (typeof PURPOSES)[number];

export const isLeasePurpose = (value: unknown): value is LeasePurpose =>
  PURPOSES.some((purpose) => purpose === value);

/** A holder that leaves the story as it found it, even when it is killed. */
export const isShortLived = (purpose: LeasePurpose): boolean =>
  purpose === "command" || purpose === "merge";

/** The state of the story's worker. The lease of a dead holder that was not a worker counts as none. */
export function workerState(lease: LeaseState | undefined): "none" | "alive" | "dead" {
  if (lease === undefined) return "none";
  return lease.life === "dead" && isShortLived(lease.record.purpose) ? "none" : lease.life;
}

// What leases are called: one for each thing that only one process may have. No package: hook scripts ask too.

/** A story, or the name of a worker of the pool: what has a branch, a worktree and runs. */
export const storyLease = (storyId: string): string => `story.${storyId}`;

/** Nothing when it is a lease on something else. */
export const storyOfLease = (name: string): string | undefined =>
  name.startsWith(storyLease("")) ? name.slice(storyLease("").length) : undefined;

export const epicLease = (epicId: string): string => `epic.${epicId}`;

export const epicOfLease = (name: string): string | undefined =>
  name.startsWith(epicLease("")) ? name.slice(epicLease("").length) : undefined;

/** A place among the workers of the pool, taken by the daemon that fills it. */
export const slotLease = (number: number | ""): string => `auto-slot.${number}`;
export const isSlotLease = (name: string): boolean => name.startsWith(slotLease(""));

/** Whoever moves a target: stories and the pool's tasks take turns. */
export const MERGE_LEASE = "merge";

/** The file that counts changes of several files. It lies beside the leases and is not one of them. */
export const CHANGE_COUNTER = "changes";

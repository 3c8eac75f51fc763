// The names of leases. Loads no package: hook scripts use it too.

/** For a story or a pool worker: both have a branch, a worktree and runs. */
export const storyLease = (storyId: string): string => `story.${storyId}`;

/** Undefined for a lease on something else. */
export const storyOfLease = (name: string): string | undefined =>
  name.startsWith(storyLease("")) ? name.slice(storyLease("").length) : undefined;

export const epicLease = (epicId: string): string => `epic.${epicId}`;

export const epicOfLease = (name: string): string | undefined =>
  name.startsWith(epicLease("")) ? name.slice(epicLease("").length) : undefined;

/** A slot for a pool worker, held by the daemon that starts workers in it. */
export const slotLease = (number: number | ""): string => `auto-slot.${number}`;
export const isSlotLease = (name: string): boolean => name.startsWith(slotLease(""));

/** Held by the process that lands the entries of a lane. */
export const laneLease = (name: string): string => `lane.${name}`;

/** The file that counts transactions. It is beside the leases, and is not a lease. */
export const CHANGE_COUNTER = "changes";

// Thirty agents and their checks can use a whole machine. They run at low priority, behind Saga itself and whatever the
// person is doing.
//
// With autogroups (sched(7)) this only counts within a session. Lowering the session as well was tried and dropped:
// agents then starve beside any busy program and reach their time limits.

import { setPriority } from "node:os";

/** About a third of an ordinary process's share when the processor is busy. */
export const LOW_PRIORITY = 5;

/** Also for every process that it starts from now on. */
export function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {
    // It ended, or already has a lower priority, which may not be raised.
  }
}

// Thirty agents and their checks can take all that a machine has. They take it behind everyone else: what keeps
// their work, what shows it, and whatever the person is doing.
//
// Where Linux weighs sessions against each other (sched(7), autogroup), this counts within a session only. Telling
// the session as well was tried and left: agents then starve beside any busy program, and come to their limits.

import { setPriority } from "node:os";

/** A third of what an ordinary process gets where there is not enough for all; all of it where there is. */
export const BEHIND = 5;

/** With all that it starts from now on. */
export function putBehind(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, BEHIND);
  } catch {
    // It has ended already, or was behind before and may not come forward.
  }
}

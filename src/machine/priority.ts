// Thirty agents and their checks can take all that a machine has. They take it behind everyone else: what keeps
// their work, what shows it, and whatever the person is doing.
//
// On Linux a session of its own is weighed as a whole against the other sessions, and how nice its processes are
// counts among themselves only (sched(7), autogroup). So the session is told as well.

import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/** A tenth of what an ordinary one gets where there is not enough for all; all of it where there is. */
const BEHIND = 10;
/** For all processes of a machine together, Linux takes one such word in a tenth of a second. */
const AGAIN_MS = 150;
const MAX_TRIES = 40;

/** For a process that has just been started in a session of its own, and for all that it starts there. */
export function putBehind(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, BEHIND);
  } catch {
    // It has ended already, or was behind before and may not come forward.
  }
  if (process.platform === "linux") putSessionBehind(pid, 1);
}

function putSessionBehind(pid: number, tries: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(BEHIND));
  } catch (error) {
    const isBusy = (error as NodeJS.ErrnoException).code === "EAGAIN";
    // Otherwise it has ended already, or there are no such groups here.
    if (!isBusy || tries === MAX_TRIES) return;
    setTimeout(() => putSessionBehind(pid, tries + 1), AGAIN_MS * (1 + Math.random())).unref();
  }
}

// Git makes a worktree in several steps. Whoever looks at all worktrees between two of them finds an empty file
// and gives up, before it has done anything; a moment later all is well. A git that was cut off there, or a
// power cut, leaves the file empty for good, and every later look would fail.

import { statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const COMPLAINT = /^fatal: failed to read (?<file>.+\/worktrees\/[^/]+\/commondir): /m;
/** From one step to the next it takes git a millisecond, and a machine at its limits a second. */
const PATIENCE_MS = 10_000;
const POLL_MS = 20;
/** The same words in every worktree: its folder is two below the repository's own. */
const COMMON_DIR = "../..\n";

/** Whether git complained of such a file in this folder, and can be asked again: it is whole by now. */
export async function isWholeByNow(
  folder: string,
  complaint: string,
  patienceMs = PATIENCE_MS,
): Promise<boolean> {
  const named = COMPLAINT.exec(complaint)?.groups?.["file"];
  if (named === undefined) return false;
  const file = resolve(folder, named);
  for (let waitedMs = 0; isEmpty(file); waitedMs += POLL_MS) {
    if (waitedMs >= patienceMs) return mend(file);
    await wait(POLL_MS);
  }
  return true;
}

const isEmpty = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.size === 0;

function mend(file: string): boolean {
  try {
    // Lost again with the power, it is written again.
    writeFileSync(file, COMMON_DIR);
    return true;
  } catch {
    // Then git's own words are the answer.
    return false;
  }
}

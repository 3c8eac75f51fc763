// `git worktree add` works in several steps. A git command that lists all worktrees between two of them finds an empty
// `commondir` and fails; a moment later it would succeed. A git that was killed there, or a power cut, leaves the file
// empty for good, and every later command would fail.

import { statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const COMMON_DIR_ERROR = /^fatal: failed to read (?<file>.+\/worktrees\/[^/]+\/commondir): /m;
/** The step takes git a millisecond, and up to a second on an overloaded machine. */
const WAIT_MS = 10_000;
const POLL_MS = 20;
/** The same in every worktree: its git folder is two below the repository's. */
export const COMMON_DIR = "../..\n";

/** Whether git failed because of such a file, and the file is complete now: then the command can be retried. */
export async function waitForCommonDir(
  folder: string,
  stderr: string,
  maxWaitMs = WAIT_MS,
): Promise<boolean> {
  const path = COMMON_DIR_ERROR.exec(stderr)?.groups?.["file"];
  if (path === undefined) return false;
  const file = resolve(folder, path);
  for (let waitedMs = 0; isEmpty(file); waitedMs += POLL_MS) {
    if (waitedMs >= maxWaitMs) return writeCommonDir(file);
    await wait(POLL_MS);
  }
  return true;
}

const isEmpty = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.size === 0;

function writeCommonDir(file: string): boolean {
  try {
    // Not durable: after another power cut it is written again.
    writeFileSync(file, COMMON_DIR);
    return true;
  } catch {
    // Git's own error is reported then.
    return false;
  }
}

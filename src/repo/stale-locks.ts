// A killed git leaves lock files that stop every later git. Only locks of files that no other process uses are removed:
// the worktree's own index and HEAD, and the story's branch. Packed refs and the configuration, which all worktrees
// share, are left alone.

import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../errors.ts";
import { ifThere } from "../machine/files/files.ts";
import { pause } from "../machine/processes/timer.ts";
import { sharedBy } from "../machine/programs/common-dir.ts";
import type { Git } from "../machine/programs/git.ts";
import { headRef, requireGitDir } from "../machine/programs/head.ts";

/** Git holds these locks for milliseconds. A lock this old, without a running git, is stale. */
const STALE_MS = 2_000;
const POLL_MS = 100;

/**
 * For the process that owns the worktree, after it has ended all earlier ones. Waits until a lock is old enough. A lock
 * of a running git is an error. Returns the removed files.
 */
export async function clearStaleLocks(git: Git): Promise<string[]> {
  const gitDir = await requireGitDir(git);
  return clearLocks(git.folder, { head: (await headRef(git)) ?? "HEAD", gitDir });
}

/** For callers that know HEAD and the git folder. */
export async function clearLocks(
  folder: string,
  { head, gitDir }: { readonly head: string; readonly gitDir: string },
): Promise<string[]> {
  const commonDir = sharedBy(gitDir);
  const own = [join(gitDir, "index.lock"), join(gitDir, "HEAD.lock")];
  const removed: string[] = [];
  for (const file of head === "HEAD" ? own : [...own, join(commonDir, `${head}.lock`)]) {
    if (await isGone(file)) continue;
    const pid = runningGit(folder);
    if (pid !== undefined) throw gitIsRunning(folder, pid);
    rmSync(file, { force: true });
    removed.push(file);
  }
  return removed;
}

export const gitIsRunning = (folder: string, pid: number): SagaError =>
  new SagaError("in-use", `Git is running in ${folder} (process ${pid}).`, {
    hint: "Wait for it to end and run the command again.",
  });

/** For refs that only the calling process writes. */
export async function clearRefLocks(commonDir: string, refs: readonly string[]): Promise<void> {
  for (const file of refs.map((ref) => join(commonDir, `${ref}.lock`))) {
    if (!(await isGone(file))) rmSync(file, { force: true });
  }
}

/** Waits until the lock disappears (true) or is stale (false). */
async function isGone(file: string): Promise<boolean> {
  for (;;) {
    const made = ifThere(() => statSync(file).mtimeMs);
    if (made === undefined) return true;
    // After the clock was set back the difference is negative, and the file would look new forever.
    const ageMs = Math.abs(Date.now() - made);
    if (ageMs >= STALE_MS) return false;
    await pause(POLL_MS);
  }
}

/** The id of a git process that runs in this folder or below. Always undefined except on Linux. */
export function runningGit(folder: string): number | undefined {
  if (process.platform !== "linux") return undefined;
  const inside = `${realpathSync.native(folder)}/`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        const isGit = readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("git");
        return isGit && `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(inside);
      } catch {
        // The process has ended or belongs to another user.
        return false;
      }
    });
}

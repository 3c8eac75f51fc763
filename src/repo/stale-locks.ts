// What a killed git leaves behind: lock files that stop every later one. They are removed only from
// places where nobody else has business: the worktree's own index and HEAD, and the story's branch.
// What all worktrees share, packed refs and the configuration, is left alone.

import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../errors.ts";
import { ifThere, readTextIfThere } from "../machine/files/files.ts";
import type { Git } from "../machine/programs/git.ts";

/** Git holds these for milliseconds. One this old, with no git at work, has lost its owner. */
const STALE_MS = 2_000;
const POLL_MS = 100;

/**
 * For the one process that owns the worktree, when it has ended every earlier one. Waits for a lock
 * that is young; a living git's is an error. Answers with what was removed.
 */
export async function clearStaleLocks(git: Git): Promise<string[]> {
  const said = await git.ask(["rev-parse", "--symbolic-full-name", "HEAD", "--absolute-git-dir"]);
  const [head = "", ...gitDir] = said.split("\n");
  return clearLocks(git.folder, { head, gitDir: gitDir.join("\n") });
}

/** The same, where HEAD and the git folder are known. */
export async function clearLocks(
  folder: string,
  { head, gitDir }: { readonly head: string; readonly gitDir: string },
): Promise<string[]> {
  const commonDir = resolve(gitDir, readTextIfThere(join(gitDir, "commondir"))?.trim() ?? ".");
  const own = [join(gitDir, "index.lock"), join(gitDir, "HEAD.lock")];
  const removed: string[] = [];
  for (const file of head === "HEAD" ? own : [...own, join(commonDir, `${head}.lock`)]) {
    if (await isGone(file)) continue;
    const pid = gitAtWork(folder);
    if (pid !== undefined) {
      throw new SagaError("in-use", `Git is at work in ${folder} (process ${pid}).`, {
        hint: "Wait for it to end, and run the command again.",
      });
    }
    rmSync(file, { force: true });
    removed.push(file);
  }
  return removed;
}

/** Of refs that only one process writes, which is the one that asks. */
export async function clearRefLocks(commonDir: string, refs: readonly string[]): Promise<void> {
  for (const file of refs.map((ref) => join(commonDir, `${ref}.lock`))) {
    if (!(await isGone(file))) rmSync(file, { force: true });
  }
}

/** Whether it was not there, or went away by itself. */
async function isGone(file: string): Promise<boolean> {
  for (;;) {
    const made = ifThere(() => statSync(file).mtimeMs);
    if (made === undefined) return true;
    // A clock that was set back makes it look new for ever: then the difference is negative.
    const ageMs = Math.abs(Date.now() - made);
    if (ageMs >= STALE_MS) return false;
    await wait(POLL_MS);
  }
}

/** A process of git in this folder or below, where the system can tell. */
export function gitAtWork(folder: string): number | undefined {
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
        // It has ended, or is another user's.
        return false;
      }
    });
}

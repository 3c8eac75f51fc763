// What an agent of the pool hands in: all that it changed since it began, as commits that name its task
// and its run. By the run's trailer a merge is known again, whoever was killed after it.

import type { Git } from "../machine/git.ts";
import { addAll } from "./add.ts";
import { commitStaged, requireBranch } from "./commits.ts";
import { oneLine } from "./identity.ts";
import { isDirty } from "./place.ts";

export interface HandedIn {
  /** At the worktree. */
  readonly git: Git;
  readonly storyId: string;
  /** The commit that the work began on. */
  readonly start: string;
  /** Paths from the top folder that are never committed. */
  readonly exclude: readonly string[];
}

export interface HandedInTask {
  /** `<list>/<id>`. */
  readonly id: string;
  readonly subject: string;
  readonly runId: string;
}

/** Whether any file is different from when the work began, committed or not. */
export async function hasChanged({ git, start, exclude }: HandedIn): Promise<boolean> {
  if (await isDirty(git, exclude)) return true;
  const isSame = async (...args: string[]): Promise<boolean> =>
    (await git.attempt(["diff", "--quiet", "--no-ext-diff", ...args, "--"])).isOk;
  if (!(await isSame("--ignore-submodules=none", start, "HEAD"))) return true;
  // Below excluded paths what git knows is work, as when it is committed; so is another commit of a
  // submodule that asks not to be looked at. What is new to git was looked for above.
  return !(await isSame("--ignore-submodules=dirty", "--diff-filter=a", "HEAD"));
}

export type CommittedWork =
  | { readonly kind: "committed" }
  /** No file is different from when the work began: that is no work. */
  | { readonly kind: "nothing" }
  /** What could not be added, in git's words. Nothing was committed. */
  | { readonly kind: "missed"; readonly why: string };

/**
 * Everything in the worktree, as one commit on top of where the work began: commits that the agent made
 * itself become part of it, and what was mended leaves no trace of what it was. Only behind a merge, in
 * which the target came in, it is a commit more.
 */
export async function commitHandedIn(work: HandedIn, task: HandedInTask): Promise<CommittedWork> {
  const { git, storyId, start, exclude } = work;
  await requireBranch(git, storyId);
  const missed = await addAll(git, exclude);
  if (missed !== undefined) return { kind: "missed", why: missed };
  if ((await git.attempt([...STAGED, start, "--"])).isOk) return { kind: "nothing" };
  const staged = await git.attempt([...STAGED, "--"]);
  const isMarked = (await commitOfRun(git, `${start}..HEAD`, task.runId)) !== undefined;
  if (isMarked && staged.isOk) return { kind: "committed" };
  const merges = ["rev-list", "--merges", "--max-count=1", `${start}..HEAD`, "--"];
  const isBehindMerge = isMarked && (await git.ask(merges)) !== "";
  if (!isBehindMerge) await git.ask(["reset", "--quiet", "--soft", start]);
  await commitStaged(git, {
    subject: oneLine(task.subject) || task.id,
    trailers: [`Saga-Task: ${task.id}`, `Saga-Run: ${task.runId}`],
    // Git may have been told that what is different is nothing.
    options: ["--allow-empty"],
  });
  return { kind: "committed" };
}

const STAGED = ["diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none"];

/** The newest commit of a run in a range, or below a tip. */
export async function commitOfRun(
  git: Git,
  range: string,
  runId: string,
): Promise<string | undefined> {
  const pattern = `^Saga-Run: ${runId}$`;
  const found = ["log", "--max-count=1", "--format=%H", `--grep=${pattern}`];
  return (await git.ask([...found, range, "--"])) || undefined;
}
